// test-timeout: 240
// test-suite: full
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "svc-automation/client";
import { requires } from "svc-automation/testing";
import { test as plainTest } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { Machine } from "./machine.test-support.ts";

const { test } = requires(plainTest, { command: "systemd-analyze" });
const { skip } = plainTest;
const rootTest = Object.assign(requires(plainTest, { root: true, command: "nsenter" }).test, { skip });
const { test: systemdTest } = requires(rootTest, { command: "systemd-analyze" });

/** Returns the output of `systemd-analyze` for the unit, and its exit code. */
async function analyze(args: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-unit-"));
	try {
		const unit = join(directory, "svc.service");
		const text = await readFile(join(import.meta.dirname, "svc.service"), "utf8");
		// systemd-analyze checks that the program exists.
		await writeFile(unit, text.replace("/usr/bin/node", process.execPath));
		return await new Promise((resolve) => {
			execFile("systemd-analyze", [...args, unit], (error, out, errors) => resolve({ code: error?.code ?? 0, text: out + errors }));
		});
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

test("the unit is right, and shuts the service in: an exposure of 2.0 at most", async () => {
	assert.deepEqual(await analyze(["verify", "--man=no"]), { code: 0, text: "" });
	const { code, text } = await analyze(["security", "--offline=true", "--threshold=20", "--no-pager"]);
	assert.equal(code, 0, text);
});

/** Performs the steps of the README, except the installation of the package. */
async function readSteps(): Promise<string> {
	const text = await readFile(join(import.meta.dirname, "README.md"), "utf8");
	const steps = /```sh\n([\s\S]*?)```/.exec(text)?.[1]?.trim().split(/\n\s*/) ?? [];
	const own = steps.filter((line) => !line.startsWith("npm install "));
	assert.equal(own.length, steps.length - 1);
	return own.join("\n");
}

systemdTest("systemd starts the unit as the README says, knows when it is ready, ends it when it hangs, and starts it again", async () => {
	const machine = await new Machine().start();
	try {
		const [port, password] = [await findFreePort(), "a long password"];
		await machine.run("bash", "-ec", await readSteps());
		const settings = `SVC_ADMIN_PASSWORD=${password}\nSVC_API_PORT=${port}\nSVC_AUTH_PORT=0\nSVC_STREAM_PORT=0\n`;
		await machine.run("bash", "-ec", `umask 077; printf '${settings}' > /etc/svc/environment`);
		const unit = (await readFile(join(import.meta.dirname, "svc.service"), "utf8")).replace("/usr/bin/node", process.execPath);
		await machine.run("bash", "-ec", `printf '%s' "$0" > /etc/systemd/system/svc.service`, unit);
		// A watchdog time of a minute is too long for a test, and the namespace has no journal.
		const shorter = "[Service]\nWatchdogSec=3\nRestartSec=0\nStandardOutput=append:/run/svc.log\nStandardError=append:/run/svc.log\n";
		await machine.run(
			"bash",
			"-ec",
			`mkdir /etc/systemd/system/svc.service.d; printf '${shorter}' > /etc/systemd/system/svc.service.d/test.conf`,
		);
		await machine.run("systemctl", "enable", "--now", "svc").catch(async (error: unknown) => {
			throw new Error(`${error} ${await machine.run("cat", "/run/svc.log").catch(() => "")}`);
		});
		const address = `http://127.0.0.1:${port}`;
		// systemd reports the unit as active only when the service is ready.
		assert.equal((await fetch(`${address}/v1/health/ready`)).status, 200);
		assert.equal(await machine.show("svc", "SubState"), "running");
		const { token } = await createClient({ apiUrl: address }).signIn({ username: "admin", password });
		const client = createClient({ apiUrl: address, token });
		const cmd =
			"id -un; for file in /etc/x /opt/svc/x /root/x; do touch $file || echo no; done; grep NoNewPrivs /proc/self/status; touch $HOME/x && echo yes";
		const { id } = await client.executions.create({ action: "core.local", parameters: { cmd } });
		let output = "";
		for await (const { data } of client.followOutput(id, { type: "stdout" })) output += data;
		assert.equal(output, "svc\nno\nno\nno\nNoNewPrivs:\t1\nyes\n");
		const first = await machine.show("svc", "MainPID");
		await machine.run("kill", "-STOP", first);
		await until("another process is ready", 100, async () => {
			// In this order. Otherwise the test could read the state of the previous process.
			const [pid, state] = [await machine.show("svc", "MainPID"), await machine.show("svc", "SubState")];
			return (state === "running" && pid !== first) || undefined;
		});
		assert.equal(await machine.show("svc", "NRestarts"), "1");
		// The stored records still exist.
		assert.equal((await client.executions.get(id)).status, "succeeded");
		await machine.run("systemctl", "stop", "svc");
		assert.deepEqual([await machine.show("svc", "Result"), await machine.show("svc", "ExecMainStatus")], ["success", "0"]);
		assert.equal(await machine.run("stat", "-c", "%U %a", "/var/lib/svc"), "svc 700");
	} finally {
		await machine.stop();
	}
});

plainTest.run();
