import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { backendVariable, chosenBackend, missingFor } from "../core/testing/backends/backend-names.test-support.ts";
import { chosenExtent, type Extent, extentVariable } from "../core/testing/extent.test-support.ts";
import { findFiles } from "./find-files.ts";
import { ended, killRunning } from "./run-test-file.ts";
import { announce, keepCosts, readCosts } from "./test-costs.ts";
import { Lane } from "./test-lane.ts";
import { type Job, planJobs } from "./test-plan.ts";
import { addTallies, noTests, parseReport, reportCosts, type Tally } from "./test-report.ts";
import { inMemoryDisk, startServers, stopServers } from "./test-servers.ts";

const help = `Runs the test files, several of them in a process.

npm test                                 the short suite
npm test -- --full                       all of it, as CI runs it
npm test -- core/client leases           the files whose name holds one of these, in either suite
npm test -- "leases.test.ts on sqlite"   a file on one of its backends

Environment:
  JOBS               how many files run at once; default: as many as there are processors
  SVC_TEST_BACKEND   the only backend: memory, sqlite, postgres or postgres-nats
  TEST_TIMEOUT       seconds that every file may take; default 120, or what the file says
  KILL_ROUNDS        how often the tests that kill services do so
  CI=true            the full suite; a test that is skipped is a failure
`;
const directories = ["core", "plugins", "plugins-auth", "plugins-runner", "examples", "scripts", "bench"];

/** How many jobs there are, and how many have ended. */
const progress = { total: 0, ended: 0 };

interface Result {
	readonly job: Job;
	readonly tally: Tally;
	readonly processorSeconds: number;
}

/** Which files are run, how many of them at once. */
interface Run {
	readonly filters: readonly string[];
	readonly extent: Extent;
	readonly parallel: number;
}

async function main({ filters, extent, parallel }: Run): Promise<number> {
	const files = findFiles(directories, (file) => file.endsWith(".test.ts"));
	const only = process.env[backendVariable] ? chosenBackend() : undefined;
	const jobs = planJobs(files, { filters, extent, ...(only !== undefined && { only }) });
	const names = jobs.map(({ name }) => name);
	process.stdout.write(announce(names, readCosts(), parallel));
	process.env[extentVariable] = extent;
	progress.total = jobs.length;
	await startServers(toServers(jobs));
	const results = await runAll(jobs, parallel).finally(stopServers);
	const total = results.map(({ tally }) => tally).reduce(addTallies, noTests);
	const costs = results.map(({ job, processorSeconds }) => ({ name: job.name, seconds: processorSeconds }));
	keepCosts(Object.fromEntries(costs.map(({ name, seconds }) => [name, seconds])));
	if (results.length > 1) process.stdout.write(reportCosts([...costs, { name: "servers of the run", seconds: ended.take() }]));
	for (const { name, reason } of total.skips) process.stdout.write(`skipped ${name}: ${reason}\n`);
	const problem = verdict(total);
	if (problem !== undefined) process.stderr.write(`${problem}\n`);
	for (const { job, tally } of results) if (tally.failed > 0) process.stderr.write(`  ${tally.failed} failed in ${job.name}\n`);
	process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
	return problem === undefined ? 0 : 1;
}

/** The servers that the jobs ask for. */
function toServers(jobs: readonly Job[]): Parameters<typeof startServers>[0] {
	const uses = (words: string) => jobs.some(({ file }) => readFileSync(file, "utf8").includes(words));
	const runsOn = (word: string) => jobs.some(({ backend }) => backend?.includes(word));
	return { postgres: runsOn("postgres") || uses("services/postgres.test-support"), nats: runsOn("nats"), sqlite: runsOn("sqlite") };
}

function verdict(total: Tally): string | undefined {
	if (total.failed > 0) return "some tests failed, see above";
	if (total.passed === 0) return "no test was executed: check the filter";
	if (total.skipped > 0 && process.env["CI"] === "true")
		return "with CI=true a skipped test is a failure: install what it needs (.ci/run does)";
	return undefined;
}

/**
 * Files that wait have a worker of their own, so that the others have something to do meanwhile. When there are none left it helps the
 * others: what they run waits now and then, too.
 */
async function runAll(jobs: readonly Job[], parallel: number): Promise<Result[]> {
	const waiting = jobs.filter(({ isWaiting }) => isWaiting);
	const working = jobs.filter(({ isWaiting }) => !isWaiting);
	const results: Result[] = [];
	const worker = async (queues: readonly Job[][]) => {
		const lane = new Lane();
		const next = () => queues.find(({ length }) => length > 0)?.shift();
		for (let job = next(); job !== undefined; job = next()) results.push(await runJob(job, lane));
		results.push(...(await lane.end()).map(toLeftRunning));
	};
	const workers = Array.from({ length: Math.max(1, parallel) }, () => worker([working, waiting]));
	await Promise.all([...workers, ...(parallel > 1 ? [worker([waiting, working])] : [])]);
	return results;
}

/** The result of a process that went on after its last file. */
function toLeftRunning(files: string): Result {
	process.stdout.write(
		`FAIL a process did not end by itself, and was killed. One of these files has left a server, timer or process running: ${files}\n`,
	);
	const job = { file: "", name: `the process of ${files}`, timeout: 0, isWaiting: false, isAlone: false, isFullOnly: false };
	return { job, tally: { ...noTests, failed: 1 }, processorSeconds: 0 };
}

async function runJob(job: Job, lane: Lane): Promise<Result> {
	const { backend, name, timeout } = job;
	const reason = backend && missingFor(backend);
	if (reason !== undefined) return { job, tally: { ...noTests, skipped: 1, skips: [{ name, reason }] }, processorSeconds: 0 };
	const started = performance.now();
	// What they ask of a storage is not whether it outlives a loss of power.
	const environment = backend === undefined ? {} : { [backendVariable]: backend, ...inMemoryDisk() };
	const { code, output, timedOut, processorSeconds } = await lane.run(job, environment);
	const tally = parseReport(name, output, code);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	const counts = `${tally.passed} passed${tally.failed > 0 ? `, ${tally.failed} failed` : ""}${tally.skipped > 0 ? `, ${tally.skipped} skipped` : ""}`;
	progress.ended += 1;
	const place = `${progress.ended}/${progress.total}`.padStart(2 * `${progress.total}`.length + 1);
	process.stdout.write(
		`${tally.failed > 0 ? "FAIL" : "ok  "} ${place} ${name} (${counts}, ${seconds} s, ${processorSeconds.toFixed(1)} of the processor)\n`,
	);
	if (tally.failed > 0) process.stdout.write(`${output.replace(/^/gm, "     ")}\n`);
	if (timedOut)
		process.stdout.write(`     stopped after ${timeout} s; a file may ask for more by a comment "// test-timeout: <seconds>"\n`);
	return { job, tally, processorSeconds };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		killRunning();
		void stopServers().finally(() => process.exit(130));
	});
}

/** What the command line asks for; undefined for `--help`. Throws a `TypeError` with a code for an unknown option. */
function parseCommand(): Run | undefined {
	const options = { full: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	if (values.help) return undefined;
	const parallel = Number(process.env["JOBS"] ?? availableParallelism());
	return { filters: positionals, extent: values.full ? "full" : chosenExtent(), parallel };
}

try {
	const run = parseCommand();
	if (run === undefined) process.stdout.write(help);
	else process.exitCode = await main(run);
} catch (error) {
	if (!(error instanceof TypeError && "code" in error)) throw error;
	process.stderr.write(`${error.message}\n\n${help}`);
	process.exitCode = 2;
}
