// test-suite: full
import * as assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { test as plainTest } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { requires } from "../../../core/testing/test-requirements.ts";
import { filesOf, manifest, type SourceBench, withBench } from "./pack-fetcher.test-support.ts";
import { serveFiles, serveGit, withServer } from "./servers.test-support.ts";

const { test: gitTest } = requires(plainTest, { command: "git" });
const { test: tlsTest } = requires(plainTest, { command: "openssl" });

async function listen(server: Server, run: (port: number) => Promise<void>): Promise<void> {
	// A server does not know of the tunnels it has made, and waits for them.
	const sockets = new Set<Socket>();
	server.on("connection", (socket: Socket) => sockets.add(socket));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		await run((server.address() as AddressInfo).port);
	} finally {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	}
}

/** Files below `served`, and repositories below `repositories`, under TLS with a certificate that an authority of its own has signed. */
async function withTlsServer(bench: SourceBench, run: (url: string, ca: string) => Promise<void>): Promise<void> {
	const openssl = (...words: readonly string[]) => bench.run("openssl", words);
	const key = ["-newkey", "rsa:2048", "-nodes"];
	openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA", "-days", "2");
	openssl("req", ...key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=own");
	bench.write("own.ext", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
	openssl("x509", "-req", "-in", "own.csr", "-out", "own.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", "-extfile", "own.ext");
	const files = serveFiles(join(bench.root, "served"));
	const git = serveGit(join(bench.root, "repositories"));
	const server = createServer(
		{ key: readFileSync(join(bench.root, "own.key")), cert: readFileSync(join(bench.root, "own.pem")) },
		(request, response) => (request.url?.endsWith(".tar.gz") ? files : git)(request, response),
	);
	await listen(server, (port) => run(`https://127.0.0.1:${port}`, join(bench.root, "ca.pem")));
}

function writePack(bench: SourceBench): void {
	bench.write("repositories/disk/pack.yaml", manifest);
	bench.commit("repositories/disk");
	mkdirSync(join(bench.root, "served"));
	bench.run("tar", ["-czf", "served/disk.tar.gz", "-C", "repositories", "--exclude=.git", "disk"]);
}

tlsTest("an authority of the site is trusted where the configuration names it, by archives and by git", async () => {
	await withBench(async (files) => {
		writePack(files);
		await withTlsServer(files, async (url, caFile) => {
			await withBench(
				async (bench) => {
					for (const place of [`${url}/disk.tar.gz`, `${url}/disk`])
						assert.deepEqual(filesOf((await bench.fetch(place)).directory), { "pack.yaml": manifest });
				},
				{ caFile },
			);
			await withBench(async (bench) => {
				for (const place of [`${url}/disk.tar.gz`, `${url}/disk`]) {
					await assert.rejects(
						bench.fetch(place),
						(error: Error) => isSvcError(error, "SVC_UNAVAILABLE") && /certificate/.test(error.message),
					);
				}
			});
			await withBench(async (bench) => assert.rejects(bench.fetch(`${url}/disk.tar.gz`), /content\.ca_file/), { caFile: "/nowhere.pem" });
		});
	});
});

tlsTest("an address under TLS is reached through a tunnel of the proxy, and never answers by something less", async () => {
	await withBench(async (files) => {
		writePack(files);
		await withTlsServer(files, async (url, caFile) => {
			const tunnels: (string | undefined)[] = [];
			const proxy = createHttpServer();
			proxy.on("connect", (request, socket) => {
				tunnels.push(request.url);
				const { port } = new URL(url);
				const target = connect(Number(port), "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
				target.on("error", () => socket.destroy()).pipe(socket);
				socket.on("error", () => target.destroy()).pipe(target);
			});
			await listen(proxy, async (port) => {
				const environment = { PATH: process.env["PATH"], https_proxy: `http://127.0.0.1:${port}` };
				await withBench(
					async (bench) => {
						await bench.fetch(`${url}/disk.tar.gz`);
						assert.deepEqual(tunnels, [url.slice("https://".length)]);
						await bench.fetch(`${url}/disk`);
						assert.ok(tunnels.length > 1);
					},
					{ caFile, environment },
				);
			});
			await withServer(
				(_, response) => response.end(),
				async (plain) => {
					const redirect = createServer(
						{ key: readFileSync(join(files.root, "own.key")), cert: readFileSync(join(files.root, "own.pem")) },
						(_, response) => response.writeHead(302, { location: `${plain.url}/disk.tar.gz` }).end(),
					);
					await listen(redirect, (port) =>
						withBench(
							async (bench) => assert.rejects(bench.fetch(`https://127.0.0.1:${port}/x.tar.gz`), /redirects to a URL that is not https/),
							{ caFile },
						),
					);
					assert.equal(plain.asked.length, 0);
				},
			);
		});
	});
});

/** Stands for ssh: writes down what it was called with, and does what the server would. */
const fakeSsh = (record: string) => `#!/bin/sh
printf '%s\\n' "$@" > '${record}'
while [ $# -gt 1 ]; do shift; done
exec sh -c "$1"
`;

gitTest("a repository over SSH asks nobody, checks the host as configured, and uses the key of the system user", async () => {
	await withBench(async (files) => {
		writePack(files);
		const record = join(files.root, "words");
		files.write("bin/ssh", fakeSsh(record), 0o755);
		const environment = { PATH: `${files.root}/bin:${process.env["PATH"]}`, SSH_AUTH_SOCK: "/agent" };
		const ssh = {
			keyFile: "/keys/it's one",
			hostKeyCheck: "strict",
			knownHosts: "/keys/known",
			usesAgent: false,
			configFile: "",
			connectTimeout: 7,
		};
		await withBench(
			async (bench) => {
				const path = join(files.root, "repositories/disk");
				const { source } = await bench.fetch(`ssh://git@packs.invalid${encodeURI(path)}`);
				assert.equal(source.address, `ssh://git@packs.invalid${encodeURI(path)}`);
				const words = readFileSync(record, "utf8").split("\n");
				for (const word of [
					"BatchMode=yes",
					"StrictHostKeyChecking=yes",
					'UserKnownHostsFile="/keys/known"',
					`IdentityFile="/keys/it's one"`,
					"ConnectTimeout=7",
				]) {
					assert.ok(words.includes(word), word);
				}
				assert.deepEqual(words.slice(0, 2), ["-F", "none"]);
				assert.ok(words.includes("git@packs.invalid"));
				await bench.fetch(`git@packs.invalid:${path}`);
			},
			{ environment, ssh },
		);
	});
});

plainTest.run();
