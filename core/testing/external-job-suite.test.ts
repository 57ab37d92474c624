// test-waits
import { test } from "uvu";
import { JobEngine } from "./broken/job-engine.test-support.ts";
import { type JobFaults, jobRunner } from "./broken/job-runner.test-support.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { testExternalJobRunner } from "./external-job-suite.ts";
import type { RegisterTest } from "./run-kit.ts";

function register(test: RegisterTest, faults: JobFaults): void {
	const engine = new JobEngine();
	testExternalJobRunner({
		test,
		name: "runner",
		create: () => jobRunner({ engine, faults }),
		engine,
		cases: {
			prints: (lines) => ({ runnerParameters: { lines } }),
			blocks: { runnerParameters: { text: "ready\n", blocks: true } },
			fails: { runnerParameters: { lines: 1, code: 3 } },
		},
		patience: 2_000,
		calm: 60,
	});
}

interface BrokenJobs {
	readonly name: string;
	readonly faults: JobFaults;
	readonly refusedBy: string;
	readonly hangs?: boolean;
}

const killed = "a run whose service is killed at any moment is recovered, with its output once and without a second job";
const taken = "a job removed by another client fails its run within 30 seconds, with the reason";
const once = "output arrives once, however often the service stops and is killed";
const waits = "a queued job is neither abandoned nor submitted again";

const broken: readonly BrokenJobs[] = [
	{
		name: "a job is submitted before its state is saved",
		faults: { savesLate: true },
		refusedBy: "no job is submitted before its run can be recovered",
	},
	{ name: "jobs have names of chance, which are saved after the submission", faults: { hasChanceNames: true }, refusedBy: killed },
	{
		name: "the name of a job is lost between submission and save",
		faults: { hasChanceNames: true },
		refusedBy: "a run whose service is killed directly after the submission is recovered",
	},
	{
		name: "the name of a job is lost with the answer and the service",
		faults: { hasChanceNames: true },
		refusedBy: "a submission whose response is lost with the service is recovered",
	},
	{ name: "output is repeated by whoever goes on with a run", faults: { repeatsOutput: true }, refusedBy: once },
	{ name: "output between two services is lost", faults: { skipsOutput: true }, refusedBy: once },
	{ name: "a cancel ends the run and not the job", faults: { leavesCanceled: true }, refusedBy: "a cancel leaves nothing of the job" },
	{
		name: "jobs that have ended are left",
		faults: { leavesEnded: true },
		refusedBy: "a completed job is removed when the end of its run is stored",
	},
	{
		name: "a cancel is forgotten by whoever goes on with the run",
		faults: { forgetsCancel: true },
		refusedBy: "a cancel of a run whose service was killed leaves nothing of the job",
	},
	{ name: "a run waits for ever for a job that was taken away", faults: { waitsForGone: true }, refusedBy: taken, hangs: true },
	{ name: "nobody learns why a run failed whose job was taken away", faults: { hidesReason: true }, refusedBy: taken },
	{ name: "a job that was taken away counts as a success", faults: { takesGoneForSuccess: true }, refusedBy: taken },
	{
		name: "a job that was taken away is submitted again",
		faults: { submitsWhenRecovered: true },
		refusedBy: "a job removed while no service ran is not submitted again",
	},
	{
		name: "a job is removed before its end is stored",
		faults: { removesEarly: true },
		refusedBy: "the first end is final, even if it is queried again",
	},
	{
		name: "every end of a job is a success",
		faults: { ignoresCode: true },
		refusedBy: "a job that fails is a run that has failed, with a result that survives JSON",
	},
	{
		name: "an engine that cannot be reached counts as a job that is gone",
		faults: { failsInOutage: true },
		refusedBy: "while the engine cannot be reached, a run continues, and it has no second job afterwards",
	},
	{
		name: "a run is given up when the engine cannot be reached at once",
		faults: { givesUpInOutage: true },
		refusedBy: "recovery of a run is retried until the engine can be reached",
	},
	{
		name: "a run fails whose job is submitted later",
		faults: { submitsBehindFailure: true },
		refusedBy: "a run that starts while the engine cannot be reached has one job or, if it fails, none",
	},
	{
		name: "a cancel is given up when the engine cannot be reached",
		faults: { leavesWhenOutOfReach: true },
		refusedBy: "a cancel while the engine cannot be reached ends the job when it is reachable again",
	},
	{
		name: "a job is submitted until somebody answers",
		faults: { submitsUntilAnswered: true },
		refusedBy: "a submission whose response is lost creates no second job",
	},
	{ name: "a job that waits counts as crashed", faults: { takesWaitingForCrashed: true }, refusedBy: waits },
	{
		name: "jobs that wait are left by a cancel",
		faults: { leavesWaiting: true },
		refusedBy: "a cancel leaves nothing of a queued job",
	},
];

for (const { name, faults, refusedBy, hangs } of broken) {
	test(`the kit refuses a runner of which it is true that ${name}`, () =>
		assertRefused({ refusedBy, ...(hangs === undefined ? {} : { hangs }) }, (check) => register(check, faults)));
}

test("the kit accepts the runner that the broken ones are made of", () => assertAccepted((check) => register(check, {})));

test.run();
