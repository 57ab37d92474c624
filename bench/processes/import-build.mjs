import { pathToFileURL } from "node:url";

/** Imports modules of a build by their folder; without a directory, of the build of this project. */
export function importerOf(build) {
	const base = build === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${build}/`);
	return (path) => import(new URL(`${path}/index.js`, base).href);
}
