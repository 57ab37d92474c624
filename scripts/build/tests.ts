import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { findFiles } from "../find-files.ts";
import { bundle, findEntries } from "./bundle.ts";
import { removeOthers } from "./files.ts";
import { linkSources } from "./link-sources.ts";

// Makes what `npm test` runs of the tests beside the sources, in `build/tests`. Hundreds of modules come in some dozens of files, which a
// process loads in a third of the time.
const target = "build/tests";
const folders = ["core", "plugins", "plugins-auth", "plugins-runner"];

/** What nearly every test loads, in many files each. */
const packages = ["ajv", "ajv-formats", "commander", "h3", "listhen", "semver", "yaml"];

const sources = findFiles(folders, (file) => file.endsWith(".ts"));
const tests = sources.filter((file) => file.endsWith(".test.ts"));
/** What tests start as programs. */
const started = sources.flatMap((file) =>
	[...readFileSync(file, "utf8").matchAll(/\btoProgram\("([^"]+)", import\.meta\.url\)/g)].map(([, name = ""]) =>
		posix.join(posix.dirname(file), `${name}.ts`),
	),
);
const entries = [...new Set([...tests, ...started, ...findEntries()])];
const made = [...(await bundle({ entries, outdir: target, sourcemap: true, packages })), ...linkSources(target, folders)];
removeOthers(target, new Set(made));
