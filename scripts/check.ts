import { checkApi } from "./check-api.ts";
import { checkBoundaries } from "./check-boundaries.ts";
import { checkDocs } from "./check-docs.ts";
import { checkLengths } from "./check-lengths.ts";
import { checkLock } from "./check-lock.ts";
import { checkMap } from "./check-map.ts";
import { checkWeb } from "./check-web.ts";
import { checkPackage } from "./package/check-package.ts";
import { run } from "./run.ts";

// Everything that can be said about the project without running it: `npm run check`.
const tool =
	(file: string, ...args: string[]) =>
	async () => {
		const { code, output } = await run(`node_modules/.bin/${file}`, args);
		return code === 0 ? [] : [output.trim()];
	};

const checks: readonly (readonly [name: string, check: () => Promise<string[]>])[] = [
	["types", tool("tsc", "-p", "tsconfig.json")],
	["types of the web page", tool("tsc", "-p", "core/web/tsconfig.json")],
	["types of the tests of the web page", tool("tsc", "-p", "core/web/tsconfig.test.json")],
	["format and lint", tool("biome", "ci", "--colors=off", "--diagnostic-level=warn", ".")],
	["boundaries", checkBoundaries],
	["docs", checkDocs],
	["map", checkMap],
	["lengths", checkLengths],
	["description of the API", checkApi],
	["lock file", checkLock],
	["web page", checkWeb],
	["package", checkPackage],
];

for (const [name, check] of checks) {
	const started = performance.now();
	const problems = await check();
	process.stdout.write(`${problems.length === 0 ? "ok  " : "FAIL"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
	for (const problem of problems) process.stdout.write(`${problem.replace(/^/gm, "     ")}\n`);
	if (problems.length > 0) process.exitCode = 1;
}
