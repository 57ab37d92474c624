import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "uvu";
import { remoteCommand } from "../remote-command/index.ts";
import { judge, parseKnownHosts, toKnownName } from "./known-hosts.ts";
import { openSite, runRemote, toLogin, toOptions } from "./remote-run.test-support.ts";
import { type Sshd, sshdTest } from "./sshd.test-support.ts";

// test-timeout: 60
const { site, sshd } = await openSite(test);
const remoteTest = sshdTest(test);
test.before.each(() => rmSync(site.knownHosts, { force: true }));

function run(server: Sshd, host_key_check: "accept-new" | "strict" | "off" = "accept-new") {
	const runnerParameters = { ...toLogin(site, server), cmd: "true" };
	return runRemote({ plugin: remoteCommand(), options: toOptions(site, { ssh_runner: { host_key_check } }), runnerParameters });
}

const read = () => readFileSync(site.knownHosts, "utf8");

remoteTest("accept-new writes the key of a new host down once, behind what the file holds", async () => {
	writeFileSync(site.knownHosts, "# without a newline at its end");
	assert.ok((await run(sshd)).succeeded);
	assert.ok((await run(sshd)).succeeded);
	assert.equal(read(), `# without a newline at its end\n[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`);
});

remoteTest("strict refuses a new host by its key, and takes a known one", async () => {
	await assert.rejects(run(sshd, "strict"), /host key ssh-ed25519 SHA256:\S+ of \[127\.0\.0\.1\]:\d+ is not in .*known_hosts/);
	writeFileSync(site.knownHosts, `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`);
	assert.ok((await run(sshd, "strict")).succeeded);
});

remoteTest("a hashed name is found", async () => {
	writeFileSync(site.knownHosts, `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`);
	execFileSync("ssh-keygen", ["-q", "-H", "-f", site.knownHosts], { stdio: "ignore" });
	assert.doesNotMatch(read(), /127\.0\.0\.1/);
	assert.ok((await run(sshd, "strict")).succeeded);
});

remoteTest("a changed key is refused naming both, also one of another type; off takes it", async () => {
	for (const hostKey of ["ed25519", "ecdsa"]) {
		const before = await site.startSshd();
		await run(before);
		await before.stop();
		const after = await site.startSshd({ port: before.port, hostKey });
		const known = read();
		const [old, fresh] = [before, after].map(({ hostKey: line }) => {
			const printed = execFileSync("ssh-keygen", ["-l", "-f", "-"], { input: line, encoding: "utf8" });
			return /SHA256:\S+/.exec(printed)?.[0] ?? "";
		});
		await assert.rejects(run(after), (error: Error) =>
			[/has changed/, old, fresh].every((part) => part !== undefined && error.message.search(toPattern(part)) >= 0),
		);
		assert.equal(read(), known);
		assert.ok((await run(after, "off")).succeeded);
		rmSync(site.knownHosts);
	}
});

remoteTest("of several keys the one that is written down is asked for", async () => {
	const server = await site.startSshd({ hostKey: "rsa", configuration: [`HostKey ${await site.createKey("second_host_key")}`] });
	writeFileSync(site.knownHosts, `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
	assert.ok((await run(server, "strict")).succeeded);
});

function toPattern(part: string | RegExp): RegExp {
	return part instanceof RegExp ? part : new RegExp(part.replace(/[+/]/g, "\\$&"));
}

const key = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from("ssh-ed25519"), Buffer.from("one")]);
const line = (hosts: string) => `${hosts} ssh-ed25519 ${key.toString("base64")}`;

test("patterns, negation, case, markers and comments are read as ssh reads them", () => {
	const verdict = (text: string, name = "web1.example.org") => judge(parseKnownHosts(text), name, key).verdict;
	assert.equal(verdict(line("*.example.org")), "known");
	assert.equal(verdict(line("WEB1.example.org,10.0.0.1")), "known");
	assert.equal(verdict(line("*.example.org,!web1.example.org")), "unknown");
	assert.equal(verdict(line("web?.example.org")), "known");
	assert.equal(verdict(`# ${line("*")}`), "unknown");
	assert.equal(verdict(`@revoked ${line("*")}\n${line("*")}`), "revoked");
	assert.equal(verdict(`@cert-authority ${line("*")}`), "unknown");
	assert.equal(verdict(line("web1.example.org"), toKnownName("web1.example.org", 2222)), "unknown");
	assert.equal(verdict(line("[web1.example.org]:2222"), toKnownName("Web1.example.org", 2222)), "known");
});

test.run();
