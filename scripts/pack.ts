/** Packs the built package into the current folder as it is published, and prints the path of the tarball. */
import { runMain } from '../harness/cli';
import { packFolder, PROJECT_FOLDER } from '../harness/n8n/packProject';

runMain(async () => console.log(await packFolder(PROJECT_FOLDER, process.cwd())));
