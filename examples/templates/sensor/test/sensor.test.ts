import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testSensor } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/sensor.ts";

testSensor({
	test,
	name: "template-name",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "template-name-"));
		let count = 0;
		return {
			plugin: templateName({ directory }),
			host: { poll_interval: 0.02 },
			provoke: () => writeFile(join(directory, `file ${++count}`), ""),
			cleanUp: () => rm(directory, { recursive: true }),
		};
	},
});

test.run();
