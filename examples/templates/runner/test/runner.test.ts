import { testRunner } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/runner.ts";

testRunner({
	test,
	name: "template-name",
	create: () => templateName({}),
	cases: {
		succeeds: { runnerParameters: { text: "hello" } },
		fails: { runnerParameters: { text: "" } },
		prints: (count) => ({ runnerParameters: { text: Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n") } }),
		blocks: { runnerParameters: { text: "ready\nnever said", pause: 600_000 } },
	},
});

test.run();
