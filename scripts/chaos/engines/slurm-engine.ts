import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pick } from "../../../core/testing/guarantees/random.test-support.ts";
import { startSlurm } from "../../../plugins-runner/slurm/slurm.test-support.ts";
import { machine } from "../../../plugins-runner/slurm/slurm-configuration.test-support.ts";
import { type ChaosEngine, toAbsence } from "./chaos-engine.ts";

/** Jobs of a cluster of one machine, with accounting. Its controller may be killed: jobs go on without it. */
export async function startSlurmEngine(ledgers: string): Promise<ChaosEngine> {
	const cluster = await startSlurm({ accounting: true });
	const { directory, conf, proxy, accounting, ask } = cluster;
	const find = async () => {
		const listed = await ask("squeue", "--noheader", "--states=PENDING,CONFIGURING,RUNNING,COMPLETING", "--format=%i %j %T");
		return listed.split("\n").flatMap((line) => {
			const [job, execution, state] = line.split(" ");
			return job && execution ? [{ job, execution, state }] : [];
		});
	};
	return {
		name: "slurm",
		options: { directory, slurm_conf: conf, kill_grace: 1 },
		action: { runner_type: "slurm" },
		ledger: join(ledgers, "slurm"),
		isLasting: true,
		faults: {
			cut: {
				async run(random) {
					proxy.cut();
					await delay(toAbsence(random));
					proxy.mend();
				},
			},
			lose: { run: async () => proxy.loseNextAnswer() },
			// What happens it writes down some seconds later: it may have forgotten a job, or that it has begun, and then it ends it. A job that
			// gets the number of a forgotten one is refused by the node, which still has that.
			restart: { run: (random) => cluster.restart(toAbsence(random)), excuses: /^job \d+: /, aftermath: 60_000 },
			accounting: {
				async run(random) {
					await accounting?.stop();
					await delay(toAbsence(random));
					await accounting?.start();
				},
			},
		},
		// A node that is to begin what it runs already is taken out of service, until somebody has looked at it.
		async operate() {
			const state = await ask("sinfo", "--noheader", "--format=%T").catch(() => "");
			if (/drain|down/.test(state)) await ask("scontrol", "update", `NodeName=${machine}`, "State=RESUME").catch(() => {});
		},
		async takeAway(random) {
			const jobs = await find().catch(() => []);
			if (jobs.length === 0) return undefined;
			const { job, execution } = pick(random, jobs);
			for (const args of [["--signal=KILL", "--full"], []]) await ask("scancel", "--quiet", ...args, job).catch(() => {});
			return execution;
		},
		async left() {
			const jobs = await find();
			const ids = await readdir(directory);
			return [
				...jobs.map(({ job, execution, state }) => ({ run: execution, what: `job ${job} (${state})`, isDoomed: false })),
				...ids.map((id) => ({ run: id, what: `directory ${id}`, isDoomed: true })),
			];
		},
		stop: () => cluster.stop(),
	};
}
