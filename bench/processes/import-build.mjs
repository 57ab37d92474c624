import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Imports modules of a build by their folder; without a directory, of the build of this project. `core` is the main entry of the package,
 * which only earlier builds have in that folder.
 */
export function importerOf(build) {
	const base = build === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${build}/`);
	const main = existsSync(new URL("plugins/_shipped/index.js", base)) ? "plugins/_shipped" : "core";
	return (path) => import(new URL(`${path === "core" ? main : path}/index.js`, base).href);
}

const features = [
	["web-ui", "webUi"],
	["audit", "audit"],
	["aliases", "aliases"],
	["workers", "workers"],
	["pack-installer", "packInstaller"],
];

/** Returns the member of a configuration that lists all features of a build. Earlier builds have them without a list. */
export async function listFeatures(build) {
	const built = importerOf(build);
	try {
		const created = features.map(async ([folder, name]) => (await built(`plugins/feature-${folder}`))[name]());
		return { features: await Promise.all(created) };
	} catch (error) {
		if (error.code === "ERR_MODULE_NOT_FOUND") return {};
		throw error;
	}
}
