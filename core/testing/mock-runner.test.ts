import { test } from "uvu";
import { mockRunner } from "./mock-runner.ts";
import { testRunner } from "./runner-suite.ts";

testRunner({
	test,
	name: "mock runner",
	create: () => mockRunner(),
	cases: {
		succeeds: {},
		fails: { runnerParameters: { fail: true } },
		throws: { runnerParameters: { throw: "out of order" } },
		prints: (lines) => ({ runnerParameters: { lines } }),
		blocks: { runnerParameters: { text: "ready\n", block: true } },
	},
	grace: 500,
});

test.run();
