import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { writeChanged } from "./files.ts";

const program = "build/descriptions.js";

/** The part of the build that describes the package in JSON; gives the paths of the files. */
export async function writeDescriptions(): Promise<readonly string[]> {
	const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
	await build({
		entryPoints: ["scripts/build/descriptions.ts"],
		outfile: program,
		bundle: true,
		format: "esm",
		platform: "node",
		packages: "external",
	});
	// In a bundle too: they are made of hundreds of modules.
	const { describe } = (await import(pathToFileURL(resolve(program)).href)) as typeof import("./descriptions.ts");
	return Object.entries(describe(version)).map(([name, content]) => {
		writeChanged(join("dist", name), `${JSON.stringify(content, undefined, "\t")}\n`);
		return join("dist", name);
	});
}
