// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { missing, requires } from "../../core/testing/test-requirements.ts";
import { remoteCommand } from "../remote-command/index.ts";
import { openSite, type RemoteRun, type RunnerParameters, runRemote, toLogin, toOptions } from "./remote-run.test-support.ts";
import { sshdTest } from "./sshd.test-support.ts";

// test-timeout: 180
const { site, sshd } = await openSite(test);
const remoteTest = sshdTest(test);
const asRoot = missing({ command: "sshd" }) === undefined ? requires(test, { command: "sudo", root: true }).test : remoteTest;

async function whoami(parameters: RunnerParameters, more: Partial<RemoteRun> = {}): Promise<unknown> {
	const runnerParameters = { ...toLogin(site, sshd), private_key: null, cmd: "id -un", ...parameters };
	const { result } = await runRemote({ plugin: remoteCommand(), options: toOptions(site), ...more, runnerParameters });
	const [part] = Object.values(result);
	return (part as { readonly stdout: string }).stdout;
}

remoteTest("keys of every type sign in, as text and as path, with and without passphrase", async () => {
	// One round of the derivation of a passphrase, rather than 16.
	const cheap = ["-a", "1"] as const;
	const types = [
		["ed25519", "-t", "ed25519", "-N", ""],
		["ed25519-locked", "-t", "ed25519", ...cheap, "-N", "pass phrase"],
		["ecdsa", "-t", "ecdsa", "-N", ""],
		["rsa-locked", "-t", "rsa", "-b", "2048", ...cheap, "-N", "pass phrase"],
		["rsa-pem", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""],
		["rsa-pkcs8", "-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", ""],
		["rsa-pkcs8-locked", "-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", "pass phrase"],
		["ecdsa-pkcs8", "-t", "ecdsa", "-m", "PKCS8", "-N", ""],
	] as const;
	const keys = await Promise.all(types.map(async ([name, ...options]) => ({ name, path: await site.createKey(name, ...options) })));
	const server = await site.startSshd({ authorized: keys.map(({ path }) => readFileSync(`${path}.pub`, "utf8")) });
	for (const { name, path } of keys) {
		const passphrase = name.endsWith("locked") ? "pass phrase" : null;
		const text = readFileSync(path, "utf8");
		// Whatever the type, the same code makes a text of them.
		const forms = [path, text.trim().replaceAll("\n", "\\n"), text.replaceAll(/^/gm, "    ")];
		for (const private_key of [text, ...(name === "ed25519" || name === "rsa-pem" ? forms : [])])
			assert.equal(await whoami({ ...toLogin(site, server), private_key, passphrase }), site.username, name);
	}
	const locked = join(site.directory, "rsa-locked");
	await assert.rejects(whoami({ private_key: locked }), /"passphrase" is required, because the private key is encrypted/);
	await assert.rejects(whoami({ private_key: locked, passphrase: "wrong one" }), /"passphrase" does not match/);
});

remoteTest("an Ed25519 key in PKCS#8 signs in", async () => {
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	const point = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
	const line = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from("ssh-ed25519"), Buffer.from([0, 0, 0, 32]), point]).toString(
		"base64",
	);
	const server = await site.startSshd({ authorized: [`ssh-ed25519 ${line}`] });
	const login = toLogin(site, server);
	const plain = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "pass phrase" }).toString();
	assert.equal(await whoami({ ...login, private_key: plain }), site.username);
	assert.equal(await whoami({ ...login, private_key: locked, passphrase: "pass phrase" }), site.username);
	await assert.rejects(whoami({ ...login, private_key: locked }), /"passphrase" is required, because the private key is encrypted/);
	await assert.rejects(whoami({ ...login, private_key: locked, passphrase: "wrong one" }), /"passphrase" does not match/);
});

remoteTest("a host may name its user, and hosts may be lines or a list", async () => {
	const login = { private_key: site.key, username: "nobody-here" };
	const address = `${site.username}@127.0.0.1:${sshd.port}`;
	for (const hosts of [address, `\n${address}\n`, [address]]) assert.equal(await whoami({ ...login, hosts }), site.username);
	await assert.rejects(whoami({ ...login, hosts: `127.0.0.1:${sshd.port}` }), /sign-in refused/);
});

remoteTest("several bastion hosts are gone through in order, each with its own user", async () => {
	const [first, second] = [await site.startSshd(), await site.startSshd()];
	const hop = ({ port }: { readonly port: number }) => `${site.username}@127.0.0.1:${port}`;
	const login = { private_key: site.key, username: null, hosts: hop(sshd), bastion_host: `${hop(first)}, ${hop(second)}` };
	assert.equal(await whoami(login), site.username);
	for (const server of [first, second]) assert.match(server.log(), /Accepted publickey/);
	await assert.rejects(whoami({ ...login, bastion_host: Array(9).fill("h").join(",") }), /at most 8 hosts/);
});

remoteTest("a key that is none, or a passphrase without one, is refused without repeating it", async () => {
	const secret = `-----BEGIN OPENSSH PRIVATE KEY-----\n${randomBytes(30).toString("base64")}\n-----END OPENSSH PRIVATE KEY-----`;
	await assert.rejects(
		whoami({ private_key: secret }),
		(error: Error) => /private_key/.test(error.message) && !error.message.includes("BEGIN"),
	);
	await assert.rejects(whoami({ private_key: "/does/not/exist" }), /"private_key" is neither .* \(ENOENT\)/);
	await assert.rejects(whoami({ passphrase: "x" }), /"passphrase" requires a private key/);
});

remoteTest("a refused sign-in names the host and what was tried", async () => {
	const stranger = await site.createKey("stranger");
	await assert.rejects(whoami({ private_key: stranger }), /host "127\.0\.0\.1" \(.*\): sign-in refused \(tried: key\)/);
	await assert.rejects(whoami({}), /give a password or private_key/);
});

remoteTest("the service's own key is used where the action names none", async () => {
	const options = { ...toOptions(site), system_user: { user: site.username, ssh_key_file: site.key } };
	assert.equal(await whoami({ username: null }, { options }), site.username);
});

sshdTest(test, "ssh-agent")("an agent is asked where it may be, and only there", async () => {
	const socket = join(site.directory, "agent");
	const before = process.env["SSH_AUTH_SOCK"];
	const text = execFileSync("ssh-agent", ["-a", socket, "-s"], { encoding: "utf8" });
	try {
		process.env["SSH_AUTH_SOCK"] = socket;
		execFileSync("ssh-add", ["-q", site.key], { stdio: "ignore" });
		assert.equal(await whoami({}, { options: toOptions(site, { ssh_runner: { use_agent: true } }) }), site.username);
		await assert.rejects(whoami({}), /give a password or private_key/);
	} finally {
		process.kill(Number(/SSH_AGENT_PID=(\d+)/.exec(text)?.[1]));
		if (before === undefined) delete process.env["SSH_AUTH_SOCK"];
		else process.env["SSH_AUTH_SOCK"] = before;
	}
});

remoteTest("the SSH configuration gives host name, user, port, key and the way, where it is used", async () => {
	const bastion = await site.startSshd();
	const config = join(site.directory, "config");
	const lines = [
		"Host web",
		"  HostName 127.0.0.1",
		`  Port ${sshd.port}`,
		"  ProxyJump door",
		"Host door",
		`  HostName 127.0.0.1\n  Port ${bastion.port}`,
		"Host *",
		`  User ${site.username}\n  IdentityFile ${site.key}`,
	];
	writeFileSync(config, lines.join("\n"));
	const parameters = { hosts: "web", username: null };
	const options = toOptions(site, { ssh_runner: { use_ssh_config: true, ssh_config_file_path: config } });
	assert.equal(await whoami(parameters, { options }), site.username);
	assert.match(bastion.log(), /Accepted publickey/);
	await assert.rejects(whoami(parameters), /host "web"/);
});

remoteTest("a bastion host is gone through, and one that cannot be reached is named", async () => {
	const bastion = await site.startSshd();
	const login = { private_key: site.key, bastion_host: `127.0.0.1:${bastion.port}` };
	assert.equal(await whoami(login), site.username);
	assert.match(bastion.log(), /Accepted publickey/);
	const dead = await site.findDeadPort();
	await assert.rejects(whoami({ ...login, bastion_host: `127.0.0.1:${dead}` }), new RegExp(`127\\.0\\.0\\.1:${dead}`));
	await assert.rejects(whoami({ ...login, hosts: `127.0.0.1:${dead}` }), /no host could be reached/);
});

const user = `svctest${process.pid}`;
const password = `pass'word ${randomBytes(6).toString("hex")}`;

/** A user with a password, and a server that asks for it. */
async function withUser(configuration: readonly string[], use: (parameters: RunnerParameters) => Promise<void>): Promise<void> {
	execFileSync("useradd", ["-M", "-d", "/", "-s", "/bin/sh", user]);
	try {
		execFileSync("chpasswd", { input: `${user}:${password}\n` });
		const server = await site.startSshd({ configuration: ["PubkeyAuthentication no", ...configuration] });
		await use({ ...toLogin(site, server), private_key: null, username: user, password });
	} finally {
		await removeUser();
	}
}

/** What ran as the user may take a moment to end, and somebody else may be changing users. */
async function removeUser(): Promise<void> {
	for (let tries = 1; ; tries += 1) {
		try {
			execFileSync("userdel", ["-f", user], { stdio: "ignore" });
			return;
		} catch (error) {
			if (tries === 50) throw error;
			await delay(200);
		}
	}
}

asRoot("a password signs in, wins over a key, and does not appear when it is wrong", () =>
	withUser(["PasswordAuthentication yes"], async (login) => {
		assert.equal(await whoami({ ...login, private_key: site.key }), user);
		const wrong = whoami({ ...login, password: "not-this-one" });
		await assert.rejects(wrong, (error: Error) => /tried: password/.test(error.message) && !error.message.includes("not-this-one"));
	}),
);

asRoot("keyboard-interactive is answered with the password", () =>
	withUser(["UsePAM yes", "KbdInteractiveAuthentication yes"], async (login) => assert.equal(await whoami(login), user)),
);

asRoot("sudo gets its password by standard input, and a wrong one is told in words", async () => {
	const rule = `/etc/sudoers.d/${user}`;
	await withUser(["PasswordAuthentication yes"], async (login) => {
		writeFileSync(rule, `${user} ALL=(ALL) SETENV: ALL\n`, { mode: 0o440 });
		try {
			const sudo = { ...login, sudo: true, env: { A: "it's" }, cmd: 'cat; echo "$(id -un) $A"' };
			assert.equal(await whoami({ ...sudo, sudo_password: password }), "root it's");
			const plugin = remoteCommand();
			const wrong = await runRemote({ plugin, options: toOptions(site), runnerParameters: { ...sudo, sudo_password: "wrong" } });
			const [part] = Object.values(wrong.result) as { readonly return_code: number; readonly error: string }[];
			assert.equal(part?.return_code, -1);
			assert.match(part?.error ?? "", new RegExp(`Invalid sudo password .* \\(${user}\\)`));
			const length = `600.${process.pid}`;
			const cancelled = await runRemote({
				plugin,
				options: toOptions(site),
				runnerParameters: { ...sudo, sudo_password: password, cmd: `echo ready; sleep ${length}` },
				async during(context) {
					await context.waitFor("stdout", "ready\n");
					context.abort("cancel");
				},
			});
			assert.equal(cancelled.succeeded, false);
			assert.ok(!execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" }).includes(`sleep ${length}`));
		} finally {
			rmSync(rule);
		}
	});
});

test.run();
