// test-suite: full
import * as assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { filesOf, manifest, type SourceBench, withBench } from "./pack-fetcher.test-support.ts";
import { isSignedIn, serveFiles, withServer } from "./servers.test-support.ts";
import { type TarEntry, toTar } from "./tar.test-support.ts";

const pack = { "pack.yaml": manifest, "actions/sweep.sh*": "#!/bin/sh\n" };

/** The same pack as a folder in archives of each kind. */
function writeArchives(bench: SourceBench): readonly string[] {
	bench.write("disk-1.4.0/pack.yaml", manifest);
	bench.write("disk-1.4.0/actions/sweep.sh", "#!/bin/sh\n", 0o755);
	mkdirSync(join(bench.root, "served"));
	bench.run("tar", ["-czf", "served/disk.tar.gz", "disk-1.4.0"]);
	bench.run("tar", ["--format=gnu", "-cf", "served/disk.tar", "-C", "disk-1.4.0", "."]);
	bench.run("python3", ["-c", zipFolder, "served/disk.zip", "disk-1.4.0"]);
	return ["disk.tar.gz", "disk.tar", "disk.zip"];
}

const zipFolder = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk(sys.argv[2]):
        for name in names:
            archive.write(os.path.join(folder, name))
`;

async function assertRefused(bench: SourceBench, text: string, reason: RegExp): Promise<void> {
	await assert.rejects(bench.fetch(text), (error: Error) => isSvcError(error) && reason.test(error.message));
	assert.deepEqual(bench.left(), []);
}

test("archives of each kind, from this machine and over HTTP, with and without a folder around everything", async () => {
	await withBench(async (bench) => {
		const names = writeArchives(bench);
		await withServer(serveFiles(join(bench.root, "served")), async ({ url }) => {
			for (const name of names) {
				const path = join(bench.root, "served", name);
				for (const text of [path, `file://${encodeURI(path)}`, `${url}/${name}`, `${url}/${name}?token=geheim`]) {
					const fetched = await bench.fetch(text);
					assert.deepEqual(filesOf(fetched.directory), pack, text);
					assert.equal(fetched.source.kind, "archive");
					assert.equal((await bench.latest(fetched)).commit, fetched.source.commit);
				}
			}
		});
		assert.ok(!bench.lines.join("").includes("geheim"));
	});
});

test("a link between files of an archive becomes a copy, a symbolic and a hard one", async () => {
	await withBench(async (bench) => {
		bench.write("disk/pack.yaml", manifest);
		bench.write("disk/a", "x");
		symlinkSync("a", join(bench.root, "disk/symbolic"));
		bench.run("ln", ["disk/a", "disk/hard"]);
		bench.run("tar", ["-czf", "disk.tgz", "disk"]);
		const { directory } = await bench.fetch(join(bench.root, "disk.tgz"));
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest, a: "x", symbolic: "x", hard: "x" });
	});
});

const head: TarEntry = { path: "pack.yaml", content: manifest };
const tars: readonly (readonly [string, readonly TarEntry[], RegExp])[] = [
	["a path out of the pack", [{ path: "../escaped", content: "x" }], /"\.\.\/escaped" is outside the pack/],
	["a path out of the pack in its middle", [{ path: "a/../../escaped", content: "x" }], /is outside the pack/],
	["an absolute path", [{ path: "/tmp/escaped", content: "x" }], /"\/tmp\/escaped" is absolute/],
	["a link out of the pack", [{ path: "link", type: "2", target: "../../etc/passwd" }], /"link" is a link to .* is outside/],
	["an absolute link", [{ path: "link", type: "2", target: "/etc/passwd" }], /is outside/],
	["a hard link out of the pack", [{ path: "link", type: "1", target: "../escaped" }], /is outside/],
	["a hard link to a file elsewhere", [{ path: "link", type: "1", target: "/etc/passwd" }], /is outside/],
	[
		"a file behind a link",
		[
			{ path: "link", type: "2", target: "sub" },
			{ path: "link/file", content: "x" },
		],
		/"link" is both a link and a directory/,
	],
	["a device", [{ path: "null", type: "3" }], /"null" is a CharacterDevice/],
	["a pipe", [{ path: "pipe", type: "6" }], /"pipe" is a FIFO/],
	["an entry of an unknown kind", [{ path: "odd", type: "Z" }], /"odd" is a|not a readable tar archive/],
	[
		"a program that runs as somebody else",
		[{ path: "su", mode: 0o4755, content: "x" }],
		/"su" must not have the set-user-ID or set-group-ID bit/,
	],
	["a file twice", [head], /"pack.yaml" occurs twice/],
	["names that differ in case", [{ path: "PACK.yaml", content: "x" }], /too similar/],
	["a line break in a name", [{ path: "a\nb", content: "x" }], /misleading characters/],
	["more files than allowed", Array.from({ length: 1_100 }, (_, index) => ({ path: `f${index}` })), /content\.max_files/],
	["a file larger than allowed", [{ path: "big", content: "x".repeat(1_000_001) }], /content\.max_file_size/],
	["a file that says it is larger than allowed", [{ path: "big", content: "x", size: 2_000_000 }], /content\.max_file_size/],
	[
		"more than allowed",
		Array.from({ length: 12 }, (_, index) => ({ path: `f${index}`, content: "x".repeat(900_000) })),
		/content\.max_pack_size/,
	],
	["a file that breaks off", [{ path: "short", content: "x", size: 5_000 }], /not a readable tar archive/],
];

for (const [what, entries, reason] of tars) {
	test(`a tar archive with ${what} is refused by name`, async () => {
		await withBench(async (bench) => {
			await assertRefused(bench, bench.write("disk.tar.gz", gzipSync(toTar([head, ...entries]))), reason);
		});
	});
}

test("archives that unpack to far more than they say, are compressed twice, or are none, are refused", async () => {
	await withBench(async (bench) => {
		await assertRefused(
			bench,
			bench.write("a.tar.gz", gzipSync(Buffer.alloc(60_000_000))),
			/uncompressed archive has more than|no pack found there/,
		);
		await assertRefused(bench, bench.write("b.tar.gz", gzipSync(gzipSync(toTar([head])))), /compressed twice/);
		await assertRefused(bench, bench.write("c.tar.gz", "no archive at all"), /not a readable tar archive/);
		await assertRefused(bench, bench.write("d.zip", "PK no archive either"), /not a readable zip archive/);
		await assertRefused(bench, bench.write("e.tar.gz", gzipSync(toTar([head])).subarray(0, 60)), /not a readable tar archive/);
		await assertRefused(bench, bench.write("f.tar.gz", ""), /not a readable tar archive|no pack found there/);
	});
});

const zips: readonly (readonly [string, string, RegExp])[] = [
	["a path out of the pack", 'add("../escaped", "x")', /not a readable zip archive: .*\.\.\/escaped|is outside/],
	["an absolute path", 'add("/tmp/escaped", "x")', /absolute/],
	["a backslash", 'add("a\\\\b", "x")', /backslash|invalid characters/],
	["a link out of the pack", 'add("link", "../../etc/passwd", 0o120777)', /is outside/],
	["a device", 'add("null", "", 0o020666)', /"null" is not a regular file/],
	["a program that runs as somebody else", 'add("su", "x", 0o104755)', /must not have the set-user-ID or set-group-ID bit/],
	["a file twice", 'add("pack.yaml", "x")', /occurs twice/],
	["a file larger than allowed", 'add("big", "x" * 1000001)', /content\.max_file_size/],
	["more files than allowed", 'for i in range(1100): add("f%d" % i, "")', /content\.max_files/],
	["more than allowed", 'for i in range(12): add("f%d" % i, "x" * 900000)', /content\.max_pack_size/],
];

for (const [what, code, reason] of zips) {
	test(`a zip archive with ${what} is refused by name`, async () => {
		await withBench(async (bench) => {
			bench.run("python3", ["-W", "ignore", "-c", `${writeZip}\n${code}\narchive.close()`, "disk.zip"]);
			await assertRefused(bench, join(bench.root, "disk.zip"), reason);
		});
	});
}

const writeZip = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
def add(name, content, mode=0o100644):
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = mode << 16
    archive.writestr(entry, content)
add("pack.yaml", ${JSON.stringify(manifest)})
`;

test("a zip archive that is encrypted is refused", async () => {
	await withBench(async (bench) => {
		bench.run("python3", ["-c", `${writeZip}\narchive.close()`, "disk.zip"]);
		const bytes = readFileSync(join(bench.root, "disk.zip"));
		// The flag in both headers of the only file.
		for (const mark of ["PK\u0003\u0004", "PK\u0001\u0002"]) {
			const start = bytes.indexOf(mark, 0, "latin1");
			const place = start + (mark.endsWith("\u0004") ? 6 : 8);
			bytes.writeUInt16LE(bytes.readUInt16LE(place) | 1, place);
		}
		await assertRefused(bench, bench.write("disk.zip", bytes), /"pack.yaml" is encrypted/);
	});
});

test("what a server sends is bounded, redirects are few and never to less, and name and password stay with their server", async () => {
	await withBench(
		async (bench) => {
			writeArchives(bench);
			const files = serveFiles(join(bench.root, "served"));
			const redirect = (location: string) => (_: unknown, response: { writeHead(status: number, headers: object): { end(): void } }) => {
				response.writeHead(302, { location }).end();
			};
			await withServer(files, async (target) => {
				await withServer(redirect(`${target.url}/disk.tar.gz`) as never, async ({ url }) => {
					await bench.fetch(`${url.replace("//", "//maria:geheim@")}/x.tar.gz`);
					assert.equal(target.asked.at(-1)?.headers.authorization, undefined);
				});
			});
			bench.run("rm", ["-r", bench.into]);
			mkdirSync(bench.into);
			for (const location of ["file:///etc/passwd", "ftp://example.org/x.tar.gz"]) {
				await withServer(redirect(location) as never, ({ url }) => assertRefused(bench, `${url}/x.tar.gz`, /a URL that is not https/));
			}
			await withServer(redirect("/x.tar.gz") as never, ({ url }) => assertRefused(bench, `${url}/x.tar.gz`, /more than 5 times/));
			await withServer(
				(_, response) => response.writeHead(404).end(),
				async ({ url }) => {
					await assertRefused(
						bench,
						`${url.replace("//", "//maria:geheim@")}/x.tar.gz`,
						/^"http:\/\/127\.0\.0\.1:\d+\/x\.tar\.gz" cannot be fetched: it answers 404$/,
					);
				},
			);
			await withServer(
				(_, response) => response.end(Buffer.alloc(200_000)),
				({ url }) => assertRefused(bench, `${url}/x.tar.gz`, /more than 100000 bytes/),
			);
			const breaksOff = (_: unknown, response: { write(chunk: string): void; destroy(): void }) => {
				response.write("x");
				setImmediate(() => response.destroy());
			};
			await withServer(breaksOff as never, ({ url }) => assertRefused(bench, `${url}/x.tar.gz`, /broken off|cannot be fetched/));
			await withServer(
				(request, response) => {
					if (isSignedIn(request, response, "maria:geheim")) files(request, response);
				},
				async ({ url }) => void (await bench.fetch(`${url.replace("//", "//maria:geheim@")}/disk.tar.gz`)),
			);
		},
		{ limits: { size: 100_000 } },
	);
});

test("an archive comes through the proxy that the environment names, unless its host is exempt", async () => {
	await withBench(async (files) => {
		writeArchives(files);
		await withServer(serveFiles(join(files.root, "served")), async (proxy) => {
			const environment = { http_proxy: proxy.url.replace("//", "//p:w@"), no_proxy: "127.0.0.1" };
			await withBench(
				async (bench) => {
					await bench.fetch("http://packs.invalid/disk.tar.gz");
					assert.equal(proxy.asked.at(-1)?.url, "http://packs.invalid/disk.tar.gz");
					assert.equal(proxy.asked.at(-1)?.headers["proxy-authorization"], `Basic ${Buffer.from("p:w").toString("base64")}`);
					await bench.fetch(`${proxy.url}/disk.tar.gz`);
					assert.equal(proxy.asked.at(-1)?.url, "/disk.tar.gz");
				},
				{ environment },
			);
		});
	});
});

test("an exempt host may be an IPv6 address, with or without brackets and a port", async () => {
	await withBench(async (files) => {
		writeArchives(files);
		await withServer(serveFiles(join(files.root, "served")), async (proxy) => {
			const isProxied = async (no_proxy: string) => {
				const asked = proxy.asked.length;
				// Nothing listens on port 1: only the proxy can answer.
				await withBench(
					(bench) =>
						bench.fetch("http://[::1]:1/disk.tar.gz").then(
							() => {},
							() => {},
						),
					{ environment: { http_proxy: proxy.url, no_proxy } },
				);
				return proxy.asked.length > asked;
			};
			for (const exempt of ["::1", "[::1]", "[::1]:1"]) assert.equal(await isProxied(exempt), false, exempt);
			for (const other of ["::2", "[::1]:2", "::1:1"]) assert.equal(await isProxied(other), true, other);
		});
	});
});

test.run();
