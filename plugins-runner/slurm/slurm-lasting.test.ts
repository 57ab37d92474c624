// test-waits
// test-timeout: 240
// test-suite: full
import { test } from "uvu";
import { type ExternalJobEngine, testExternalJobRunner } from "../../core/testing/external-job-suite.ts";
import { slurm } from "./index.ts";
import { type Slurm, slurmTest, startSlurmIfThere } from "./slurm.test-support.ts";

const cluster = await startSlurmIfThere();
test.after(async () => cluster?.stop());

function toEngine({ jobs, accepted, ask, proxy }: Slurm): ExternalJobEngine {
	const setPartition = async (state: string) => void (await ask("scontrol", "update", "PartitionName=main", `State=${state}`));
	return {
		jobs,
		accepted,
		async takeAway(job) {
			for (const args of [["--signal=KILL", "--full"], []]) await ask("scancel", "--quiet", ...args, job).catch(() => {});
		},
		cutOff: async () => proxy.cut(),
		restore: async () => proxy.mend(),
		loseNextAnswer: async () => proxy.loseNextAnswer(),
		hold: () => setPartition("DOWN"),
		release: () => setPartition("UP"),
	};
}

const prints = (count: number) => `i=0; while [ $i -lt ${count} ]; do i=$((i + 1)); echo "line $i"; sleep 0.05; done`;

// Where it is not installed, the statements are registered to be skipped by their names.
const none = new Proxy({}, { get: () => () => {} }) as Slurm;
const { directory = "/", conf = "/" } = cluster ?? {};

testExternalJobRunner({
	test: slurmTest(test),
	name: "slurm",
	create: () => slurm({ directory, slurm_conf: conf, kill_grace: 1 }),
	engine: toEngine(cluster ?? none),
	cases: {
		prints: (count) => ({ runnerParameters: { cmd: prints(count) } }),
		blocks: { runnerParameters: { cmd: "echo ready; exec sleep 600" } },
		fails: { runnerParameters: { cmd: 'echo "line 1"; exit 3' } },
	},
	calm: 500,
});

test.run();
