import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../../core/contract/index.ts";
import { findByEnvironment } from "../../../core/testing/guarantees/processes.test-support.ts";
import { pick } from "../../../core/testing/guarantees/random.test-support.ts";
import { isOver, type ListedTask, parseSacct, parseSqueue, sacctFormat, squeueFormat } from "../../../plugins-runner/slurm/job-state.ts";
import { type Slurm, startSlurm } from "../../../plugins-runner/slurm/slurm.test-support.ts";
import { machine } from "../../../plugins-runner/slurm/slurm-configuration.test-support.ts";
import { type ChaosEngine, forAWhile, type Loss, toAbsence, type UnsuccessfulRun } from "./chaos-engine.ts";
import { NotedCommands } from "./noted-commands.ts";

/** Jobs of a cluster of one machine, with accounting. Its controller may be killed: jobs go on without it. */
export async function startSlurmEngine(ledgers: string): Promise<ChaosEngine> {
	const cluster = await startSlurm({ accounting: true });
	const { directory, conf, ask } = cluster;
	const commands = await NotedCommands.create(join(directory, "..", "commands"), {
		noted: ["sbatch", "scancel"],
		others: ["squeue", "sacct", "scontrol"],
	});
	/** Whether its controller or its node was ever killed: what is lost with that comes out later, as when a job gets the number of one that is forgotten. */
	let isForgetful = false;
	return {
		name: "slurm",
		options: { directory, slurm_conf: conf, kill_grace: 1, bin_directory: commands.directory },
		action: { runner_type: "slurm", parameters: { cmd: {} } },
		ledger: join(ledgers, "slurm"),
		faults: toFaults(cluster, () => {
			isForgetful = true;
		}),
		removed: /^job \d+: /,
		wasAsked: async ({ id }) => (await commands.noted()).some((line) => line.includes(`--job-name=${id} `)),
		findLoss: async (run) => (isForgetful ? findLoss(cluster, run) : undefined),
		// A node that is to begin what it runs already is taken out of service, until somebody has looked at it.
		async operate() {
			const state = await ask("sinfo", "--noheader", "--format=%T").catch(() => "");
			if (/drain|down/.test(state)) await ask("scontrol", "update", `NodeName=${machine}`, "State=RESUME").catch(() => {});
		},
		async takeAway(random) {
			const jobs = await findJobs(cluster).catch(() => []);
			if (jobs.length === 0) return undefined;
			const { job, execution } = pick(random, jobs);
			for (const args of [["--signal=KILL", "--full"], []]) await ask("scancel", "--quiet", ...args, job).catch(() => {});
			return execution;
		},
		async left() {
			const jobs = await findJobs(cluster);
			const ids = await readdir(directory);
			// A controller that was killed, or whose node was, takes jobs for running that have ended, until it asks their node once more.
			const isStale = ({ state, execution }: (typeof jobs)[number]) =>
				isForgetful && state !== "PENDING" && findByEnvironment(`SLURM_JOB_NAME=${execution}\0`).length === 0;
			return [
				...jobs
					.filter((job) => !isStale(job))
					.map(({ job, execution, state }) => ({ run: execution, what: `job ${job} (${state})`, isDoomed: false })),
				...ids.map((id) => ({ run: id, what: `directory ${id}`, isDoomed: true })),
			];
		},
		findMisdeeds: async () => (await commands.noted()).filter((line) => line.startsWith("scancel")).map((line) => `it has called ${line}`),
		stop: () => cluster.stop(),
	};
}

/** @param onKill called when something is killed that may forget jobs with that */
function toFaults(cluster: Slurm, onKill: () => void): ChaosEngine["faults"] {
	const { proxy, accounting } = cluster;
	return {
		cut: (random) =>
			forAWhile(
				random,
				() => proxy.cut(),
				() => proxy.mend(),
			),
		freeze: (random) =>
			forAWhile(
				random,
				() => proxy.freeze(),
				() => proxy.thaw(),
			),
		lose: async () => proxy.loseNextAnswer(),
		async restart(random) {
			onKill();
			await cluster.restart(toAbsence(random));
		},
		async node(random) {
			onKill();
			await cluster.restartNode(toAbsence(random));
		},
		accounting: (random) =>
			forAWhile(
				random,
				() => accounting?.stop(),
				() => accounting?.start(),
			),
	};
}

async function findJobs({ ask }: Slurm) {
	const listed = await ask("squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING,COMPLETING", "--format=%i %j %T");
	return listed.split("\n").flatMap((line) => {
		const [job, execution, state] = line.split(" ");
		return job && execution ? [{ job, execution, state }] : [];
	});
}

/**
 * What happens a controller writes down some seconds later: one that is killed may have forgotten a job, or that it has begun, and then it ends
 * it. It says so itself: the job has the very end that the execution tells of, or there is none of it with any end.
 */
async function findLoss(cluster: Slurm, { record, reason, mishaps }: UnsuccessfulRun): Promise<Loss | undefined> {
	const result: JsonObject = record.result ?? {};
	const [job, state] = [result["job_id"], result["state"]];
	if (typeof job !== "string" || typeof state !== "string" || state === "COMPLETED" || !reason.startsWith(`job ${job}: `)) return undefined;
	const tasks = (await findTasks(cluster, record.id)).filter(({ jobId }) => jobId === job);
	// It had ended while nobody looked, and the controller had forgotten that before the accounting was back.
	const isUnseen = mishaps.some(({ engine }) => engine === undefined);
	const isUnrecorded = mishaps.some(({ engine, what }) => engine === "slurm" && what === "accounting");
	if (state === "LOST" && isUnseen && isUnrecorded) return { what: "ended while its accounting was away", goesOn: true };
	if (state === "LOST") return tasks.some(isOver) ? undefined : { what: "forgotten by its controller", goesOn: true };
	return tasks.some((task) => task.state === state) ? { what: `${state} by its controller` } : undefined;
}

/** What the controller and the accounting know of an execution's jobs; nothing where they are away. */
async function findTasks({ ask }: Slurm, name: string): Promise<readonly ListedTask[]> {
	const queued = ask("squeue", "--noheader", "--array", "--states=all", `--Format=${squeueFormat}`, `--name=${name}`).then(parseSqueue);
	const accounted = ask("sacct", "--noheader", "--parsable2", "--allocations", `--format=${sacctFormat}`, `--name=${name}`).then(
		parseSacct,
	);
	return (await Promise.all([queued, accounted].map((found) => found.catch(() => [])))).flat();
}
