/** Every operation in n8n's engine over HTTP, with an item that fails. */
import { testEveryOperation } from '../support/everyOperation';
import { useService } from '../support/service';

testEveryOperation(useService());
