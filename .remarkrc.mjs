import remarkGfm from 'remark-gfm';
import remarkRetext from 'remark-retext';
import retextEnglish from 'retext-english';
import retextIndefiniteArticle from 'retext-indefinite-article';
import retextReadability from 'retext-readability';
import retextRepeatedWords from 'retext-repeated-words';
import { unified } from 'unified';

const prose = unified()
	.use(retextEnglish)
	.use(retextReadability, { age: 18, minWords: 10, threshold: 5 / 7 })
	.use(retextRepeatedWords)
	.use(retextIndefiniteArticle);

export default { plugins: [remarkGfm, [remarkRetext, prose]] };
