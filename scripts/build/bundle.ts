import { readFileSync } from "node:fs";
import { posix, relative } from "node:path";
import { type BuildOptions, build } from "esbuild";
import type { PackageExports } from "../package/check-exports.ts";
import { writeChanged } from "./files.ts";
import { modulePlaces } from "./module-places.ts";
import { ownPackages } from "./own-packages.ts";

// The part of the build that makes code to run. A process takes a millisecond for each module that it loads, so that hundreds
// of them come in a few files.
const chunks = "chunks";

/** What is started by its path as a process or thread of its own: one file each, and nothing in it is shared with the service. */
const programs = [
	"plugins-auth/flat-file/hash-worker.ts",
	"plugins-auth/pam/conversation-worker.ts",
	"plugins-runner/_process/launcher-process.ts",
	"plugins-runner/action-chain/definition-worker.ts",
	"plugins-runner/python-script/pyodide/worker/main.ts",
	"plugins-runner/python-script/pyodide/worker/make-snapshot.ts",
	"plugins-runner/python-script/pyodide/worker/watchdog.ts",
	"plugins-runner/workflow/definition-worker.ts",
];

const common = {
	bundle: true,
	format: "esm",
	platform: "node",
	target: "node20.19",
	packages: "external",
	// One character above U+00FF in a file makes V8 hold the whole of its source with two bytes for each character.
	charset: "ascii",
	legalComments: "none",
	outbase: ".",
	write: false,
	logLevel: "warning",
} as const satisfies BuildOptions;

interface Bundle {
	/** Sources, each of which becomes a file in its own place. What several of them use is one module for all of them. */
	readonly entries: readonly string[];
	readonly outdir: string;
	/** Whether a file beside each output tells the places in the sources. Default false. */
	readonly sourcemap?: boolean;
	/** Packages that become parts of the code, rather than being loaded from where they are installed. Default none. */
	readonly packages?: readonly string[];
}

interface Manifest {
	readonly exports: PackageExports;
	readonly bin: Readonly<Record<string, string>>;
}

/** Write the code of some entries, and of the programs; gives the paths of the files. */
export async function bundle({ entries, outdir, sourcemap = false, packages = [] }: Bundle): Promise<readonly string[]> {
	const options = { ...common, outdir, sourcemap, sourcesContent: false };
	const plugins = [modulePlaces(chunks), ...(packages.length === 0 ? [] : [ownPackages(packages)])];
	const shared = { ...options, splitting: true, chunkNames: `${chunks}/[name]-[hash]`, plugins };
	const outputs = [await build({ ...shared, entryPoints: [...entries] }), await build({ ...options, entryPoints: programs })];
	return outputs.flatMap(({ outputFiles }) =>
		outputFiles.map(({ path, contents }) => {
			const file = relative(".", path);
			writeChanged(file, contents);
			return file;
		}),
	);
}

/** The sources of what package.json says can be imported or run. */
export function findEntries(): readonly string[] {
	const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
	const targets = [
		...Object.values(exports).map((target) => (typeof target === "string" ? target : target.default)),
		...Object.values(bin),
	];
	return targets.filter((file) => file.endsWith(".js")).map((file) => posix.relative("dist", file).replace(/\.js$/, ".ts"));
}
