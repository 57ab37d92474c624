import * as assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { readIndex } from "./index-reader.ts";
import { filesOf, manifest, type SourceBench, withBench } from "./pack-fetcher.test-support.ts";
import { isSignedIn, serveFiles, withServer } from "./servers.test-support.ts";

const disk = { name: "disk", version: "1.4.0", description: "Volume care.", keywords: ["storage"], email: "storage@example.org" };
const net = { name: "net", version: "2.0.0", description: "Looks after disks of routers.", keywords: ["Network"], author: "Storage team" };

const toIndex = (packs: object) => JSON.stringify({ metadata: { generated_ts: 1 }, packs });

async function assertNotFound(bench: SourceBench, text: string, reason: RegExp): Promise<void> {
	await assert.rejects(bench.fetch(text), (error: Error) => isSvcError(error) && reason.test(error.message));
	assert.deepEqual(bench.left(), []);
}

test("indexes are merged, later ones win, and one that cannot be used is no error", async () => {
	await withBench(async (files) => {
		files.write(
			"one.json",
			toIndex({ disk: { ...disk, repo_url: "https://one.invalid/disk" }, net: { ...net, repo_url: "https://one.invalid/net" } }),
		);
		files.write("two.json", toIndex({ disk: { ...disk, version: "2.0.0", repo_url: "https://maria:geheim@two.invalid/disk" } }));
		files.write("broken.json", "{");
		files.write("empty.json", toIndex({}));
		await withServer(serveFiles(files.root), async ({ url }) => {
			const secret = url.replace("//", "//maria:geheim@");
			const indexUrls = [
				`${secret}/one.json`,
				`${url}/two.json`,
				`${url}/broken.json`,
				`${url}/empty.json`,
				`${url}/nothing.json`,
				"nonsense",
			];
			await withBench(
				async ({ index }) => {
					const merged = await index.get();
					assert.deepEqual(Object.keys(merged.index), ["disk", "net"]);
					assert.deepEqual(merged.index["disk"], { ...disk, version: "2.0.0", repo_url: "https://two.invalid/disk" });
					assert.deepEqual(merged.status.slice(0, 2), [
						{ url: `${url}/one.json`, packs: 2, message: "Success.", error: null },
						{ url: `${url}/two.json`, packs: 1, message: "Success.", error: null },
					]);
					const health = await index.health();
					assert.deepEqual(health, {
						indexes: { count: 6, valid: 2, invalid: 4, errors: { malformed: 2, empty: 1, unresponsive: 1 }, status: merged.status },
						packs: { count: 2 },
					});
					assert.ok(!JSON.stringify([merged, health]).includes("geheim"));
				},
				{ indexUrls },
			);
		});
	});
});

test("a search finds names first, then keywords, then whatever else holds the word, but neither addresses nor emails", async () => {
	await withBench(async (files) => {
		const index = files.write(
			"index.json",
			toIndex({ net: { ...net, repo_url: "https://one.invalid/disk" }, disk: { ...disk, repo_url: "https://one.invalid/disk" } }),
		);
		await withBench(
			async (bench) => {
				const names = async (query: string) => (await bench.index.search(query)).map(({ name }) => name);
				assert.deepEqual(await names("DISK"), ["disk", "net"]);
				assert.deepEqual(await names("network"), ["net"]);
				assert.deepEqual(await names("storage"), ["disk", "net"]);
				assert.deepEqual(await names("netw"), []);
				assert.deepEqual(await names("invalid"), []);
				assert.deepEqual(await names("example.org"), []);
				await assert.rejects(bench.index.search("  "), /query: must not be empty/);
				assert.equal((await bench.index.show("disk"))?.["version"], "1.4.0");
				assert.equal(await bench.index.show("dis"), undefined);
			},
			{ indexUrls: [index] },
		);
	});
});

test("a pack is installed by its name, and by its version", async () => {
	await withBench(async (files) => {
		files.write("disk/pack.yaml", manifest);
		const first = files.commit("disk");
		files.git("disk", "tag", "v1.4.0");
		files.write("disk/new", "x");
		const last = files.commit("disk", "two");
		const repository = `file://${encodeURI(join(files.root, "disk"))}`;
		const index = files.write(
			"index.json",
			toIndex({ disk: { ...disk, repo_url: repository }, loop: { repo_url: "disk" }, near: { repo_url: "./disk" } }),
		);
		await withBench(
			async (bench) => {
				const fetched = await bench.fetch("disk");
				assert.deepEqual(fetched.source, { kind: "git", address: repository, revision: null, commit: last, subdirectory: null, index });
				assert.deepEqual(await bench.latest(fetched), { revision: null, commit: last, version: "1.4.0" });
				assert.equal((await bench.fetch("disk=1.4.0")).source.commit, first);
				assert.equal((await bench.fetch("disk=1.x")).source.revision, "v1.4.0");
				assert.deepEqual(Object.keys(filesOf((await bench.fetch("near")).directory)).sort(), ["new", "pack.yaml"]);
				bench.run("rm", ["-r", bench.into]);
				mkdirSync(bench.into);
				await assertNotFound(bench, "nothing", /pack "nothing" is not in an index$/);
				await assertNotFound(bench, "loop", /"disk" for pack "loop", which is not a URL/);
			},
			{ indexUrls: [index] },
		);
		await withBench((bench) => assertNotFound(bench, "disk", /no index is configured \(content\.index_url\)/));
	});
});

test("a folder of packs serves as an index", async () => {
	await withBench(async (files) => {
		files.write("packs/disk/pack.yaml", manifest);
		files.write("packs/broken/pack.yaml", "name: [");
		files.write("packs/readme", "x");
		await withBench(
			async (bench) => {
				const { status, index } = await bench.index.get();
				assert.deepEqual([status[0]?.packs, Object.keys(index)], [1, ["disk"]]);
				assert.deepEqual([index["disk"]?.["version"], index["disk"]?.["repo_url"]], ["1.4.0", join(files.root, "packs/disk")]);
				assert.equal((await bench.fetch("disk=1.4.0")).source.kind, "directory");
				await assert.rejects(bench.fetch("disk=2.0.0"), /only version 1\.4\.0 of pack disk, not 2\.0\.0/);
			},
			{ indexUrls: [join(files.root, "packs")] },
		);
	});
});

test("a folder whose pack.yaml cannot be read is skipped by name, and one without is no pack", async () => {
	await withBench(async (bench) => {
		const { root, settings } = bench;
		bench.write("packs/disk/pack.yaml", manifest);
		bench.write("packs/broken/pack.yaml", "name: [");
		bench.write("packs/notes/readme");
		bench.write("packs/readme");
		mkdirSync(join(root, "packs/loop"));
		symlinkSync("pack.yaml", join(root, "packs/loop/pack.yaml"));
		const { packs, skipped } = await readIndex(join(root, "packs"), settings, new AbortController().signal);
		assert.deepEqual([[...packs.keys()], [...skipped].sort()], [["disk"], ["broken", "loop"]]);
	});
});

test("an index elsewhere may not name files of this machine, and what it names is told from options", async () => {
	await withBench(async (files) => {
		files.write("disk/pack.yaml", manifest);
		const places = {
			local: join(files.root, "disk"),
			address: `file://${files.root}/disk`,
			option: "--upload-pack=x",
			helper: "ext::sh -c x",
		};
		files.write("index.json", toIndex(Object.fromEntries(Object.entries(places).map(([name, repo_url]) => [name, { repo_url }]))));
		await withServer(serveFiles(files.root), async ({ url }) => {
			await withBench(
				async (bench) => {
					await assertNotFound(bench, "local", /only a local index may name local files/);
					await assertNotFound(bench, "address", /only a local index may name local files/);
					await assertNotFound(bench, "option", /begins with a dash/);
					await assertNotFound(bench, "helper", /git remote helper/);
				},
				{ indexUrls: [`${url}/index.json`] },
			);
		});
	});
});

test("hostile indexes: names that are no names, too much, too deep, too many", async () => {
	const deep = `{"packs":{"disk":${'{"a":'.repeat(300)}1${"}".repeat(300)}}}`;
	const cases: readonly (readonly [string, string | null, number])[] = [
		[
			'{"packs":{"__proto__":{"repo_url":"https://x.invalid/y"},"../x":{"repo_url":"https://x.invalid/y"},"a":1,"disk":{"repo_url":"https://x.invalid/y"}}}',
			null,
			2,
		],
		[deep, "malformed", 0],
		[
			toIndex(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, { repo_url: "https://x.invalid/y" }]))),
			"malformed",
			0,
		],
		[`{"packs":{}}${" ".repeat(5_000_000)}`, "unresponsive", 0],
		['{"packs":[]}', "malformed", 0],
	];
	for (const [text, error, packs] of cases) {
		await withServer(
			(_, response) => response.end(text),
			async ({ url }) => {
				await withBench(
					async ({ index }) => {
						const { status, index: entries } = await index.get();
						assert.deepEqual([status[0]?.error, status[0]?.packs], [error, packs]);
						assert.equal(Object.getPrototypeOf(entries), Object.prototype);
					},
					{ indexUrls: [url] },
				);
			},
		);
	}
});

test("whoever asks often does not make the index be asked often, and credentials come from the file", async () => {
	await withBench(async (files) => {
		files.write("index.json", toIndex({ disk: { ...disk, repo_url: "https://one.invalid/disk" } }));
		const give = serveFiles(files.root);
		const handle: typeof give = (request, response) => {
			if (isSignedIn(request, response, "maria:geheim")) give(request, response);
		};
		await withServer(handle, async ({ url, asked }) => {
			const credentialsFile = files.write("credentials", `${url.replace("//", "//maria:geheim@")}\n`);
			await withBench(
				async (bench) => {
					await Promise.all([bench.index.get(), bench.index.health(), bench.index.search("disk")]);
					assert.equal(asked.length, 1);
					bench.now += 61_000;
					assert.equal((await bench.index.get()).status[0]?.error, null);
					assert.equal(asked.length, 2);
				},
				{ indexUrls: [`${url}/index.json`], credentialsFile },
			);
		});
	});
});

test.run();
