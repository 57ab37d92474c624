// test-timeout: 300
// test-suite: full
import { test } from "uvu";
import { testExternalJobRunner } from "../../core/testing/external-job-suite.ts";
import { Podman, podmanTest } from "../_container/podman.test-support.ts";
import { containerRunner } from "./index.ts";

let podman: Podman | undefined;
const started = () => podman as Podman;
const engineTest = podmanTest(test);

test.after(() => podman?.stop());

const shell = (cmd: string) => ({ runnerParameters: { image: "localhost/busybox:test", cmd } });

testExternalJobRunner({
	test: (name, run) =>
		engineTest(name, async () => {
			podman ??= await Podman.start();
			await run();
		}),
	name: "container",
	create: () => containerRunner({ host: started().host, stop_grace: 1 }),
	engine: {
		jobs: () => started().jobs(),
		accepted: () => started().accepted(),
		takeAway: (job) => started().takeAway(job),
		cutOff: () => started().cutOff(),
		restore: () => started().restore(),
		loseNextAnswer: () => started().loseNextAnswer(),
	},
	cases: {
		prints: (count) => shell(`i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); usleep 50000; done`),
		blocks: shell("echo ready; exec sleep 600"),
		fails: shell("echo line 1; exit 3"),
	},
});

test.run();
