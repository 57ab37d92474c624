import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../core/contract/index.ts";
import { commit } from "./case-files.ts";
import type { PackBench } from "./pack-bench.ts";

/** A sensor, what it is to see, and what is to be done about it. `{files}` stands for a directory of the run's own. */
export interface SensorCase {
	/** Ref. */
	readonly sensor: string;
	/** Of its pack. */
	readonly config?: JsonObject;
	/** A rule that echoes a template; absent where a pack brings the rule. */
	readonly rule?: { readonly trigger: JsonObject; readonly echo: string };
	/** What stands in the output of the action that the rule runs. */
	readonly expected: string;
	/** What must be there before the sensor is started; what ends it, or undefined where it cannot be. */
	prepare?(bench: PackBench): Promise<(() => void) | undefined>;
	/** Cause the event; again until it was seen. */
	provoke?(bench: PackBench): Promise<unknown>;
}

const brokerPort = 18_883;
/** Where the sensors of these packs listen, and read, by what their files say. */
const echoAddress = "http://127.0.0.1:5000/echo";
const watchedByExamples = "/tmp/st2_test";

export const sensorCases: readonly SensorCase[] = [
	{
		sensor: "linux.FileWatchSensor",
		rule: {
			trigger: { type: "linux.file_watch.line", parameters: { file_path: "{files}/watched" } },
			echo: "{{ trigger.file_name }} {{ trigger.line }}",
		},
		expected: "watched a new line",
		async prepare(bench) {
			writeFileSync(join(bench.files("service"), "watched"), "an old line\n");
			return () => {};
		},
		provoke: async (bench) => appendFileSync(join(bench.files("service"), "watched"), "a new line\n"),
	},
	{
		// The rule, with the action, is that of the pack examples.
		sensor: "linux.FileWatchSensor",
		expected: "a line for the rule of the pack",
		async prepare(bench) {
			writeFileSync(watchedByExamples, "");
			return bench.pack("examples") === undefined ? undefined : () => {};
		},
		provoke: async () => appendFileSync(watchedByExamples, "a line for the rule of the pack\n"),
	},
	{
		sensor: "git.GitCommitSensor",
		config: { repositories: [{ url: "{files}/repository", branch: "main", local_clone_path: "{files}/clone" }], poll_interval: 1 },
		rule: { trigger: { type: "git.head_sha_monitor" }, echo: "{{ trigger.branch }} {{ trigger.commit_message }}" },
		expected: "main second",
		provoke: async (bench) => commit(join(bench.files("service"), "repository"), "second"),
	},
	{
		sensor: "mqtt.MQTTSensor",
		config: { hostname: "127.0.0.1", port: brokerPort, subscribe: ["yard/#"] },
		rule: { trigger: { type: "mqtt.message" }, echo: "{{ trigger.topic }} {{ trigger.message }}" },
		expected: "yard/gate b'opened'",
		prepare: (bench) => startBroker(bench),
		// The event is made by an action of the same pack.
		provoke: (bench) => bench.execute("mqtt.publish", { topic: "yard/gate", message: "opened" }),
	},
	{
		sensor: "examples.EchoFlaskSensor",
		rule: { trigger: { type: "examples.echoflasksensor" }, echo: "{{ trigger.payload.word }}" },
		expected: "posted",
		provoke: () =>
			fetch(echoAddress, {
				method: "POST",
				body: JSON.stringify({ payload: { word: "posted" } }),
				signal: AbortSignal.timeout(5_000),
			}).catch(() => {}),
	},
	{
		sensor: "examples.FibonacciSensor",
		rule: { trigger: { type: "examples.fibonacci" }, echo: "number {{ trigger.count }} is {{ trigger.fibonacci }}" },
		expected: "number 2 is 1",
	},
];

/** Undefined where mosquitto is not installed. */
async function startBroker({ place }: PackBench): Promise<(() => void) | undefined> {
	const file = join(place, "mosquitto.conf");
	writeFileSync(file, `listener ${brokerPort} 127.0.0.1\nallow_anonymous true\n`);
	const broker = spawn("mosquitto", ["-c", file], { stdio: "ignore" });
	let isMissing = false;
	broker.on("error", () => {
		isMissing = true;
	});
	for (let round = 0; round < 100 && !isMissing; round += 1) {
		if (await answers(brokerPort)) return () => broker.kill();
		await pause(100);
	}
	broker.kill();
	return undefined;
}

function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = createConnection(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
		socket.on("connect", () => socket.end());
	});
}
