// test-waits
// test-timeout: 240
import { test } from "uvu";
import { type ExternalJobEngine, testExternalJobRunner } from "../../core/testing/external-job-suite.ts";
import { kubernetesJob } from "./index.ts";
import { KubeServer } from "./kube-server.test-support.ts";

const server = await KubeServer.start();
test.after(() => server.stop());

const engine: ExternalJobEngine = {
	jobs: async () => server.store.list("Job", () => true).map(({ metadata }) => metadata.name),
	accepted: async () => server.accepted,
	async takeAway(name) {
		const job = server.store.get("Job", "default", name);
		if (job !== undefined) server.controller.removeJob(job, "Background");
	},
	cutOff: async () => server.cut(),
	restore: async () => server.mend(),
	loseNextAnswer: async () => server.loseNextAnswer(),
	hold: async () => server.controller.hold(),
	release: async () => server.controller.release(),
};

const prints = (count: number) => `i=0; while [ $i -lt ${count} ]; do i=$((i + 1)); echo "line $i"; sleep 0.05; done`;
const run = (cmd: string) => ({ runnerParameters: { image: "busybox", cmd } });

testExternalJobRunner({
	test,
	name: "kubernetes-job",
	create: () => kubernetesJob({ server: server.url, kill_grace: 1 }),
	engine,
	cases: { prints: (count) => run(prints(count)), blocks: run("echo ready; exec sleep 600"), fails: run('echo "line 1"; exit 3') },
	calm: 500,
});

test.run();
