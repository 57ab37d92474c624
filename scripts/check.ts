import { availableParallelism } from "node:os";
import { checkApi } from "./check-api.ts";
import { checkBoundaries } from "./check-boundaries.ts";
import { checkDocs } from "./check-docs.ts";
import { checkLengths } from "./check-lengths.ts";
import { checkLock } from "./check-lock.ts";
import { checkMap } from "./check-map.ts";
import { checkNames } from "./check-names.ts";
import { checkProse, findLongSentences, readProse } from "./check-prose.ts";
import { checkStructure } from "./check-structure.ts";
import { findSubjectWarnings } from "./check-subjects.ts";
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
	["types of the web page", tool("tsc", "-p", "plugins/feature-web-ui/web/tsconfig.json")],
	["types of the tests of the web page", tool("tsc", "-p", "plugins/feature-web-ui/web/tsconfig.test.json")],
	["format and lint", tool("biome", "ci", "--colors=off", "--diagnostic-level=warn", ".")],
	["boundaries", checkBoundaries],
	["docs", checkDocs],
	["map", checkMap],
	["names", checkNames],
	["lengths", checkLengths],
	["prose", checkProse],
	["structure", checkStructure],
	["description of the API", checkApi],
	["lock file", checkLock],
	["web page", checkWeb],
	["package", checkPackage],
];

/** How each has ended, and after how many seconds. */
interface Outcome {
	readonly problems: readonly string[];
	readonly seconds: number;
}

async function runCheck(check: () => Promise<string[]>): Promise<Outcome> {
	const started = performance.now();
	const problems = await check();
	return { problems, seconds: (performance.now() - started) / 1000 };
}

function report(name: string, { problems, seconds }: Outcome): void {
	process.stdout.write(`${problems.length === 0 ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)\n`);
	for (const problem of problems) process.stdout.write(`${problem.replace(/^/gm, "     ")}\n`);
	if (problems.length > 0) process.exitCode = 1;
}

// Each keeps one core busy and needs nothing of the others: as many at once as there are cores.
const queue = [...checks];
const worker = async () => {
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) report(next[0], await runCheck(next[1]));
};
await Promise.all(Array.from({ length: availableParallelism() }, worker));

// Warnings are printed and fail nothing.
const warnings = { subjects: await findSubjectWarnings(), "long sentences": readProse().flatMap(findLongSentences) };
for (const [name, lines] of Object.entries(warnings)) {
	if (lines.length > 0) process.stdout.write(`warn ${name}: ${lines.length}\n${lines.map((line) => `     ${line}\n`).join("")}`);
}
