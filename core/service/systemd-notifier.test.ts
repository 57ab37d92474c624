// test-timeout: 180
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { startServiceProcess } from "../testing/guarantees/service-process.test-support.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
import { requires } from "../testing/test-requirements.ts";
import { SystemdNotifier } from "./systemd-notifier.ts";

const { test: notifyTest } = requires(test, { command: "python3", package: "koffi" });

/** Prints the pid of the sender and what it sent, a line each. */
const receiver = `
import socket, struct, sys
name = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
s.bind("\\0" + name[1:] if name.startswith("@") else name)
print("listening", flush=True)
while True:
    data, extra, flags, address = s.recvmsg(4096, 64)
    print(struct.unpack("iii", extra[0][2])[0], data.decode(), flush=True)
`;

interface Manager {
	/** What has come, each as `<pid> <state>`. */
	readonly told: readonly string[];
	stop(): void;
}

/** What listens where systemd would. */
async function startManager(socket: string): Promise<Manager> {
	const child = spawn("python3", ["-c", receiver, socket], { stdio: ["ignore", "pipe", "inherit"] });
	const told: string[] = [];
	createInterface({ input: child.stdout }).on("line", (line) => void told.push(line));
	await until("the manager listens", 30, () => told.shift());
	return { told, stop: () => void child.kill("SIGKILL") };
}

notifyTest(
	"a manager that waits for it is told by the service itself that it is ready, lives and stops; actions are not told of it",
	async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-manager-"));
		const socket = join(directory, "notify");
		const manager = await startManager(socket);
		try {
			const service = await startServiceProcess({ directory, environment: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "100000" } });
			try {
				const signs = () => manager.told.filter((line) => line === `${service.pid} WATCHDOG=1`).length;
				await until("it has said that it lives", 30, () => signs() > 3 || undefined);
				assert.equal(manager.told[0], `${service.pid} READY=1`);
				process.kill(service.pid, "SIGSTOP");
				// What it sent before may still be on its way.
				await new Promise((resolve) => setTimeout(resolve, 300));
				const before = signs();
				await new Promise((resolve) => setTimeout(resolve, 500));
				assert.equal(signs(), before);
				process.kill(service.pid, "SIGCONT");
				const { id } = await service.client.executions.create({ action: "core.local", parameters: { cmd: "env" } });
				const seen = await until("the command has ended", 30, async () => {
					const { status, result } = await service.client.executions.get(id);
					return status === "succeeded" ? String(result?.["stdout"]) : undefined;
				});
				assert.match(seen, /^SVC_ACTION_/m);
				assert.doesNotMatch(seen, /NOTIFY_SOCKET|WATCHDOG/);
				assert.equal(await service.stop(), 0);
				assert.ok(manager.told.includes(`${service.pid} STOPPING=1`));
			} finally {
				await service.kill();
			}
		} finally {
			manager.stop();
			await rm(directory, { recursive: true, force: true });
		}
	},
);

notifyTest("a socket may have a name without a file, and a sign of life that is for another process is not given", async () => {
	const name = `@svc-manager-${process.pid}`;
	const manager = await startManager(name);
	try {
		const told = await SystemdNotifier.find({ NOTIFY_SOCKET: name, WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" });
		told?.ready();
		told?.stopping();
		await until("both have come", 30, () => manager.told.length > 1 || undefined);
		assert.deepEqual(manager.told, [`${process.pid} READY=1`, `${process.pid} STOPPING=1`]);
		told?.close();
	} finally {
		manager.stop();
	}
});

test("without a manager nobody is told; an address that is none is refused", async () => {
	assert.equal(await SystemdNotifier.find({}), undefined);
	assert.equal(await SystemdNotifier.find({ NOTIFY_SOCKET: "" }), undefined);
	for (const address of ["notify", `/${"a".repeat(107)}`]) {
		await assert.rejects(
			SystemdNotifier.find({ NOTIFY_SOCKET: address }),
			(error) => isSvcError(error, "SVC_CONFIG") && /^NOTIFY_SOCKET: must be/.test(error.message),
		);
	}
});

test.run();
