import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** The built service in a directory: the directory itself, or `dist` of a checkout. */
export function findBuild(directory: string): string {
	const found = [join(resolve(directory), "dist"), resolve(directory)].find((each) => existsSync(join(each, "chunks")));
	if (found === undefined) throw new Error(`--against: "${directory}" is neither a build nor a checkout with one; run npm run build there`);
	return found;
}
