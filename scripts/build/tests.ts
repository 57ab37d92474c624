import { build } from "esbuild";
import { builtWorker, worker } from "../test-process.ts";
import { findEntries } from "./bundle.ts";
import { bundleTests, findPrograms, findSources, findTests, testFolders, testTarget } from "./bundle-tests.ts";
import { removeOthers } from "./files.ts";
import { linkSources } from "./link-sources.ts";

// Makes what `npm test` runs of the tests beside the sources, in `build/tests`. Hundreds of modules come in some dozens of files, which a
// process loads in a third of the time.
const made = [
	...(await bundleTests([...findTests(), ...findPrograms(findSources()), ...findEntries()])),
	...linkSources(testTarget, testFolders),
];
removeOthers(testTarget, new Set(made));
await build({ entryPoints: [worker], outfile: builtWorker, bundle: true, format: "esm", platform: "node", packages: "external" });
