import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { backendVariable, chosenBackend, missingFor } from "../core/testing/backends/backend-names.test-support.ts";
import { findFiles } from "./find-files.ts";
import { ended, killRunning, runTestFile } from "./run-test-file.ts";
import { toSecondRun } from "./second-run.ts";
import { type Job, planJobs } from "./test-plan.ts";
import { addTallies, noTests, parseReport, reportCosts, type Tally } from "./test-report.ts";
import { inMemoryDisk, startServers, stopServers } from "./test-servers.ts";

// Runs every test file in a process of its own: `npm test [-- <part of a name> …]`. JOBS sets how many run at once,
// SVC_TEST_BACKEND the only backend to run on.
const directories = ["core", "plugins", "plugins-auth", "plugins-runner", "examples", "scripts"];

interface Result {
	readonly job: Job;
	readonly tally: Tally;
	readonly processorSeconds: number;
}

async function main(filters: readonly string[]): Promise<number> {
	const files = findFiles(directories, (file) => file.endsWith(".test.ts"));
	const jobs = planJobs(files, filters, process.env[backendVariable] ? chosenBackend() : undefined);
	await startServers(toServers(jobs));
	const results = await runTwice(jobs, Number(process.env["JOBS"] ?? availableParallelism())).finally(stopServers);
	const total = results.map(({ tally }) => tally).reduce(addTallies, noTests);
	const costs = results.map(({ job, processorSeconds }) => ({ name: job.name, seconds: processorSeconds }));
	if (results.length > 1) process.stdout.write(reportCosts([...costs, { name: "servers of the run", seconds: ended.take() }]));
	for (const { name, reason } of total.skips) process.stdout.write(`skipped ${name}: ${reason}\n`);
	const problem = verdict(total);
	if (problem !== undefined) process.stderr.write(`${problem}\n`);
	process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
	return problem === undefined ? 0 : 1;
}

/** The servers that the jobs ask for. */
function toServers(jobs: readonly Job[]): { readonly postgres: boolean; readonly nats: boolean } {
	const uses = (words: string) => jobs.some(({ file }) => readFileSync(file, "utf8").includes(words));
	const runsOn = (word: string) => jobs.some(({ backend }) => backend?.includes(word));
	return { postgres: runsOn("postgres") || uses("services/postgres.test-support"), nats: runsOn("nats") };
}

function verdict(total: Tally): string | undefined {
	if (total.failed > 0) return "some tests failed, see above";
	if (total.passed === 0) return "no test was executed: check the filter";
	if (total.skipped > 0 && process.env["CI"] === "true")
		return "with CI=true a skipped test is a failure: install what it needs (.ci/run does)";
	return undefined;
}

/** With CI=true a file that fails among all the others gets a second chance by itself, and is named. */
async function runTwice(jobs: readonly Job[], parallel: number): Promise<readonly Result[]> {
	const results = await runAll(jobs, parallel);
	const failed = results.filter(({ tally }) => tally.failed > 0).map(({ job }) => job);
	for (const job of process.env["CI"] === "true" ? toSecondRun(failed) : []) {
		process.stdout.write(`once more, alone: ${job.name}\n`);
		const again = await runJob(job);
		if (again.tally.failed > 0) continue;
		process.stdout.write(`UNSTEADY ${job.name}: it has failed above and passed alone; see CONTRIBUTING.md\n`);
		results.splice(
			results.findIndex((result) => result.job === job),
			1,
			again,
		);
	}
	return results;
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
		const next = () => queues.find(({ length }) => length > 0)?.shift();
		for (let job = next(); job !== undefined; job = next()) {
			results.push(await runJob(job));
		}
	};
	const workers = Array.from({ length: Math.max(1, parallel) }, () => worker([working, waiting]));
	await Promise.all([...workers, ...(parallel > 1 ? [worker([waiting, working])] : [])]);
	return results;
}

async function runJob(job: Job): Promise<Result> {
	const { file, backend, name, timeout } = job;
	const reason = backend && missingFor(backend);
	if (reason !== undefined) return { job, tally: { ...noTests, skipped: 1, skips: [{ name, reason }] }, processorSeconds: 0 };
	const started = performance.now();
	// What they ask of a storage is not whether it outlives a loss of power.
	const environment = backend === undefined ? {} : { [backendVariable]: backend, ...inMemoryDisk() };
	const { code, output, timedOut, processorSeconds } = await runTestFile(file, timeout, environment);
	const tally = parseReport(name, output, code);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	const counts = `${tally.passed} passed${tally.failed > 0 ? `, ${tally.failed} failed` : ""}${tally.skipped > 0 ? `, ${tally.skipped} skipped` : ""}`;
	process.stdout.write(
		`${tally.failed > 0 ? "FAIL" : "ok  "} ${name} (${counts}, ${seconds} s, ${processorSeconds.toFixed(1)} of the processor)\n`,
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

process.exitCode = await main(process.argv.slice(2));
