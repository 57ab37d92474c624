// test-suite: full
import * as assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as plainTest } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { requires } from "../../../core/testing/test-requirements.ts";
import { filesOf, manifest, SourceBench, withBench } from "./pack-fetcher.test-support.ts";
import { isSignedIn, serveFiles, serveGit, withServer } from "./servers.test-support.ts";

const { test } = requires(plainTest, { command: "git" });

/** A repository that is made once and copied for each test. */
let original: (ReturnType<typeof makeRepository> & { readonly bench: SourceBench }) | undefined;

plainTest.after(() => original?.bench.remove());

/** A repository with a tag, a branch and something after it. */
function writeRepository(bench: SourceBench) {
	if (original === undefined) {
		const made = new SourceBench();
		original = { bench: made, ...makeRepository(made) };
	}
	const { first, branch, last } = original;
	cpSync(join(original.bench.root, "disk"), join(bench.root, "disk"), { recursive: true });
	return { first, branch, last, url: `file://${encodeURI(join(bench.root, "disk"))}` };
}

function makeRepository(bench: SourceBench) {
	bench.write("disk/pack.yaml", manifest);
	bench.write("disk/actions/sweep.sh", "one", 0o755);
	const first = bench.commit("disk");
	bench.git("disk", "tag", "v1.4.0");
	bench.git("disk", "tag", "--annotate", "--message", "spoken", "v1.5.0-rc.1");
	bench.git("disk", "checkout", "--quiet", "-b", "feature/x");
	bench.write("disk/actions/sweep.sh", "branch", 0o755);
	const branch = bench.commit("disk", "branch");
	bench.git("disk", "checkout", "--quiet", "main");
	bench.write("disk/actions/sweep.sh", "two", 0o755);
	const last = bench.commit("disk", "two");
	return { first, branch, last };
}

const wordIn = (directory: string) => readFileSync(join(directory, "actions/sweep.sh"), "utf8");

async function assertRefused(bench: SourceBench, text: string, reason: RegExp): Promise<void> {
	await assert.rejects(bench.fetch(text), (error: Error) => isSvcError(error) && reason.test(error.message));
	assert.deepEqual(bench.left(), []);
}

test("a branch, a tag, a version, a commit and the beginning of one are found", async () => {
	await withBench(async (bench) => {
		const { first, branch, last, url } = writeRepository(bench);
		const cases: readonly (readonly [string, string, string, string | null])[] = [
			["", "two", last, null],
			["=main", "two", last, "main"],
			["=feature/x", "branch", branch, "feature/x"],
			["=v1.4.0", "one", first, "v1.4.0"],
			["=1.4.0", "one", first, "v1.4.0"],
			["=1.x", "one", first, "v1.4.0"],
			["=^1.3", "one", first, "v1.4.0"],
			["=>=1.4.0, <2", "one", first, "v1.4.0"],
			["=v1.5.0-rc.1", "one", first, "v1.5.0-rc.1"],
			[`=${first}`, "one", first, first],
			[`=${branch.slice(0, 10)}`, "branch", branch, branch.slice(0, 10)],
		];
		for (const [revision, word, commit, named] of cases) {
			const { directory, source } = await bench.fetch(url + revision);
			assert.equal(wordIn(directory), word, revision);
			assert.deepEqual([source.kind, source.commit, source.revision], ["git", commit, named]);
			assert.deepEqual(Object.keys(filesOf(directory)).sort(), ["actions/sweep.sh*", "pack.yaml"]);
			assert.equal(bench.left().length, 1);
			bench.run("rm", ["-r", bench.into]);
			mkdirSync(bench.into);
		}
	});
});

test("a path takes the files as they stand, and with a revision or as an address what was committed", async () => {
	await withBench(async (bench) => {
		const { first, url } = writeRepository(bench);
		bench.write("disk/actions/sweep.sh", "not committed", 0o755);
		assert.equal(wordIn((await bench.fetch(join(bench.root, "disk"))).directory), "not committed");
		assert.equal(wordIn((await bench.fetch(url)).directory), "two");
		assert.equal((await bench.fetch(`${join(bench.root, "disk")}=v1.4.0`)).source.commit, first);
		bench.git("disk", "clone", "--quiet", "--bare", ".", "../bare");
		assert.equal(wordIn((await bench.fetch(join(bench.root, "bare"))).directory), "two");
	});
});

for (const [server, options] of [
	["today's", {}],
	["one that gives out branches and tags only", { isOld: true }],
] as const) {
	test(`over HTTP from ${server}: a branch, a commit, the beginning of one, and what there is none of`, async () => {
		await withBench(async (bench) => {
			const { first, branch } = writeRepository(bench);
			await withServer(serveGit(bench.root, options), async ({ url }) => {
				assert.equal(wordIn((await bench.fetch(`${url}/disk=feature/x`)).directory), "branch");
				assert.equal((await bench.fetch(`${url}/disk/.git=${first}`)).source.commit, first);
				assert.equal((await bench.fetch(`${url}/disk=${branch.slice(0, 8)}`)).source.commit, branch);
				bench.run("rm", ["-r", bench.into]);
				mkdirSync(bench.into);
				await assertRefused(bench, `${url}/disk=nothing`, /no branch, tag, commit or version "nothing"/);
				await assertRefused(bench, `${url}/disk=2.x`, /no branch, tag, commit or version "2\.x"/);
				await assertRefused(bench, `${url}/disk=${"0".repeat(40)}`, /no commit "0000/);
				await assertRefused(bench, `${url}/nothing`, /cannot be read/);
			});
		});
	});
}

test("from a server that only has files", async () => {
	await withBench(async (bench) => {
		const { first } = writeRepository(bench);
		bench.git("disk", "update-server-info");
		await withServer(serveFiles(bench.root), async ({ url }) => {
			assert.equal((await bench.fetch(`${url}/disk/.git=v1.4.0`)).source.commit, first);
			assert.equal(wordIn((await bench.fetch(`${url}/disk/.git`)).directory), "two");
		});
	});
});

test("a folder of a repository with several packs", async () => {
	await withBench(async (bench) => {
		bench.write("many/packs/disk/pack.yaml", manifest);
		bench.write("many/packs/net/pack.yaml", manifest);
		bench.commit("many");
		const url = `file://${encodeURI(join(bench.root, "many"))}`;
		const { directory, source } = await bench.fetch(`${url}#packs/disk`);
		assert.deepEqual(filesOf(directory), { "pack.yaml": manifest });
		assert.equal(source.subdirectory, "packs/disk");
		bench.run("rm", ["-r", bench.into]);
		mkdirSync(bench.into);
		await assertRefused(bench, url, /these directories are packs: "packs\/disk", "packs\/net"/);
		await assertRefused(bench, `${url}#packs/nothing`, /no directory "packs\/nothing"/);
	});
});

test("name and password reach the server, and no file, list of processes, record or line", async () => {
	await withBench(async (bench) => {
		writeRepository(bench);
		const git = serveGit(bench.root);
		const processes: string[] = [];
		const handle: typeof git = (request, response) => {
			processes.push(bench.run("ps", ["-eo", "args"]));
			if (isSignedIn(request, response, "maria:geheim")) git(request, response);
		};
		await withServer(handle, async ({ url }) => {
			const { source } = await bench.fetch(`${url.replace("//", "//maria:geheim@")}/disk`);
			assert.equal(source.address, `${url}/disk`);
			assert.ok(!JSON.stringify([source, bench.lines]).includes("geheim"));
			assert.ok(processes.some((list) => list.includes("remote-http")) && !processes.join("").includes("geheim"));
			bench.run("rm", ["-r", bench.into]);
			mkdirSync(bench.into);
			await assertRefused(bench, `${url}/disk`, /terminal prompts disabled/);
			await assert.rejects(
				bench.fetch(`${url.replace("//", "//maria:falsch@")}/disk`),
				(error: Error) => !error.message.includes("falsch"),
			);
			bench.write("credentials", `https://x:y@example.org\n${url.replace("//", "//maria:geheim@")}\n`);
			await withBench(async (other) => void (await other.fetch(`${url}/disk=1.4.0`)), { credentialsFile: join(bench.root, "credentials") });
		});
	});
});

test("what is meant for one server is not sent to another that it redirects to", async () => {
	await withBench(async (bench) => {
		writeRepository(bench);
		await withServer(serveGit(bench.root), async (other) => {
			const redirect = (request: { url?: string | undefined }, response: { writeHead(status: number, headers: object): { end(): void } }) =>
				response.writeHead(302, { location: other.url + request.url }).end();
			await withServer(redirect as never, async ({ url }) => {
				await assertRefused(bench, `${url.replace("//", "//maria:geheim@")}/disk`, /cannot be read/);
				assert.equal(other.asked.length, 0);
				await bench.fetch(`${url}/disk`);
				assert.ok(other.asked.length > 0);
			});
		});
	});
});

test("nothing that a repository holds is run: hooks, filters, submodules, other protocols", async () => {
	await withBench(async (bench) => {
		const flag = join(bench.root, "run");
		writeRepository(bench);
		bench.write("disk/.gitattributes", "* filter=evil eol=crlf ident\n");
		bench.write("disk/.gitmodules", `[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch '${flag}'"\n`);
		bench.write("disk/note", "$Id$\n");
		bench.git("disk", "config", "filter.evil.smudge", `touch '${flag}'`);
		bench.git("disk", "add", ".");
		bench.git("disk", "commit", "--quiet", "--message", "evil");
		bench.git("disk", "checkout", "--quiet", "-b", "submodule");
		bench.git("disk", "update-index", "--add", "--cacheinfo", `160000,${bench.git("disk", "rev-parse", "HEAD")},m`);
		bench.git("disk", "commit", "--quiet", "--message", "more evil");
		bench.git("disk", "checkout", "--quiet", "main");
		for (const hook of ["post-checkout", "reference-transaction"]) bench.write(`home/hooks/${hook}`, `#!/bin/sh\ntouch '${flag}'\n`, 0o755);
		bench.write("home/.gitconfig", `[core]\n\thooksPath = ${bench.root}/home/hooks\n[filter "evil"]\n\tsmudge = touch '${flag}'\n`);
		const before = process.env["HOME"];
		process.env["HOME"] = join(bench.root, "home");
		try {
			const { directory } = await bench.fetch(`file://${encodeURI(join(bench.root, "disk"))}`);
			assert.equal(filesOf(directory)["note"], "$Id$\n");
			bench.run("rm", ["-r", bench.into]);
			mkdirSync(bench.into);
			await assertRefused(
				bench,
				`file://${encodeURI(join(bench.root, "disk"))}=submodule`,
				/^submodule "m": its address "ext::sh .*must be the URL/,
			);
		} finally {
			process.env["HOME"] = before;
		}
		assert.ok(!existsSync(flag));
	});
});

/** A pack with a submodule at `lib/tools`, which has one at `deep`; the commits that belong there are not the newest. */
function writeSubmodules(bench: SourceBench, addresses: { readonly tools: string; readonly deep: string }) {
	bench.write("deep/deep.txt", "deep");
	const deep = bench.commit("deep");
	bench.write("tools/tool.sh", "old", 0o755);
	bench.write("tools/.gitmodules", `[submodule "d"]\n\tpath = deep\n\turl = ${addresses.deep}\n`);
	bench.commit("tools");
	bench.git("tools", "update-index", "--add", "--cacheinfo", `160000,${deep},deep`);
	bench.git("tools", "commit", "--quiet", "--message", "deep");
	const tools = bench.git("tools", "rev-parse", "HEAD");
	bench.write("tools/tool.sh", "new", 0o755);
	bench.git("tools", "commit", "--quiet", "--all", "--message", "new");
	bench.write("disk/pack.yaml", manifest);
	bench.write("disk/.gitmodules", `[submodule "a name"]\n\tpath = lib/tools\n\turl = ${addresses.tools}\n`);
	bench.commit("disk");
	bench.git("disk", "update-index", "--add", "--cacheinfo", `160000,${tools},lib/tools`);
	bench.git("disk", "commit", "--quiet", "--message", "tools");
	return `file://${encodeURI(join(bench.root, "disk"))}`;
}

const withoutSettings = (directory: string) => Object.entries(filesOf(directory)).filter(([path]) => !path.includes(".gitmodules"));

test("submodules come at the commits that belong to the pack, also those of submodules, by relative and by whole addresses", async () => {
	await withBench(async (bench) => {
		const wanted = [
			["lib/tools/deep/deep.txt", "deep"],
			["lib/tools/tool.sh*", "old"],
			["pack.yaml", manifest],
		];
		const url = writeSubmodules(bench, { tools: "../tools", deep: `file://${encodeURI(join(bench.root, "deep"))}` });
		assert.deepEqual(withoutSettings((await bench.fetch(url)).directory).sort(), wanted);
		assert.ok(bench.lines.some((line) => /^fetching submodule "lib\/tools" from file:.*, commit [0-9a-f]{40}$/.test(line)));
	});
	await withBench(async (bench) => {
		writeSubmodules(bench, { tools: "../tools", deep: "./../deep" });
		await withServer(serveGit(bench.root), async ({ url }) => {
			const { directory, source } = await bench.fetch(`${url}/disk`);
			assert.equal(withoutSettings(directory).length, 3);
			assert.equal(source.commit, bench.git("disk", "rev-parse", "HEAD"));
		});
	});
});

test("a submodule that may not be fetched, or is not there, refuses the pack and is named", async () => {
	const cases: readonly (readonly [tools: string, reason: RegExp])[] = [
		["file:///etc", /^submodule "lib\/tools": its address "file:\/\/\/etc" is on the local machine, but the repository is not/],
		["/etc", /^submodule "lib\/tools": .* is on the local machine/],
		["http://169.254.169.254/latest", /^submodule "lib\/tools": .* is not encrypted/],
		["https://169.254.169.254/latest", /^submodule "lib\/tools": .* is an IP address/],
		["ssh://git@localhost/x", /^submodule "lib\/tools": .* a name of the local machine/],
		["-oProxyCommand=x", /^submodule "lib\/tools": .* must be (?:only )?the URL/],
		["../../../x", /^submodule "lib\/tools": .* is outside the host/],
	];
	await withBench(async (bench) => {
		writeSubmodules(bench, { tools: "../tools", deep: "../deep" });
		await withServer(serveGit(bench.root), async ({ url }) => {
			for (const [tools, reason] of cases) {
				bench.write("disk/.gitmodules", `[submodule "a name"]\n\tpath = lib/tools\n\turl = ${tools}\n`);
				bench.git("disk", "commit", "--quiet", "--message", tools, ".gitmodules");
				await assertRefused(bench, `${url}/disk`, reason);
			}
		});
	});
	await withBench(async (bench) => {
		writeSubmodules(bench, { tools: "../tools", deep: "../missing" });
		await withServer(serveGit(bench.root), ({ url }) =>
			assertRefused(bench, `${url}/disk`, /^submodule "lib\/tools\/deep": repository .* cannot be read/),
		);
	});
});

test("submodules without end, and files of all of them that are too many, are refused", async () => {
	await withBench(async (bench) => {
		bench.write("disk/pack.yaml", manifest);
		bench.write("disk/.gitmodules", `[submodule "self"]\n\tpath = self\n\turl = ../disk\n`);
		const first = bench.commit("disk");
		let last = first;
		for (let depth = 0; depth < 4; depth += 1) {
			bench.git("disk", "update-index", "--add", "--cacheinfo", `160000,${last},self`);
			bench.git("disk", "commit", "--quiet", "--message", "self");
			last = bench.git("disk", "rev-parse", "HEAD");
		}
		await assertRefused(
			bench,
			`file://${encodeURI(join(bench.root, "disk"))}`,
			/^submodule "self\/self\/self\/self": .*more than 3 repositories deep/,
		);
	});
	await withBench(
		async (bench) => {
			const url = writeSubmodules(bench, { tools: "../tools", deep: "../deep" });
			await assertRefused(bench, url, /content\.max_files/);
		},
		{ limits: { files: 4 } },
	);
});

test("links that lead out, names no file may have, and too much are refused by name", async () => {
	const cases: readonly (readonly [(bench: SourceBench) => void, RegExp])[] = [
		[(bench) => symlinkSync("/etc/passwd", join(bench.root, "disk/link")), /"link" is a link to "\/etc\/passwd"/],
		[(bench) => bench.write("disk/big", "x".repeat(5_000)), /"big" has more than 4000 bytes/],
		[(bench) => Array.from({ length: 30 }, (_, index) => bench.write(`disk/${index}`)), /content\.max_files/],
		[(bench) => Array.from({ length: 10 }, (_, index) => bench.write(`disk/${index}`, "x".repeat(3_000))), /content\.max_pack_size/],
		[(bench) => [bench.write("disk/a.yaml"), bench.write("disk/A.yaml")], /too similar/],
	];
	for (const [make, reason] of cases) {
		await withBench(
			async (bench) => {
				bench.write("disk/pack.yaml", manifest);
				make(bench);
				bench.commit("disk");
				await assertRefused(bench, `file://${encodeURI(join(bench.root, "disk"))}`, reason);
			},
			{ limits: { fileSize: 4_000, size: 20_000, files: 20 } },
		);
	}
});

test("a tree whose names lead out of it is refused", async () => {
	await withBench(async (bench) => {
		bench.write("disk/pack.yaml", manifest);
		bench.commit("disk");
		const blob = bench.git("disk", "hash-object", "-w", "pack.yaml");
		const raw = Buffer.concat([Buffer.from("100644 ../escaped\0"), Buffer.from(blob, "hex")]);
		writeFileSync(join(bench.root, "raw"), raw);
		const tree = bench.git("disk", "hash-object", "-t", "tree", "--literally", "-w", "../raw");
		bench.git("disk", "update-ref", "refs/heads/evil", bench.git("disk", "commit-tree", "-m", "evil", tree));
		await assertRefused(bench, `file://${encodeURI(join(bench.root, "disk"))}=evil`, /escaped" is outside the pack/);
	});
});

test("a repository that is larger than allowed ends at the limit", async () => {
	await withBench(
		async (bench) => {
			bench.write("disk/pack.yaml", manifest);
			writeFileSync(join(bench.root, "disk/noise"), Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256))));
			bench.commit("disk");
			await withServer(serveGit(bench.root), async ({ url }) => {
				await assertRefused(bench, `${url}/disk`, /has more than 100000 bytes/);
			});
		},
		{ limits: { size: 10_000 } },
	);
});

test("a fetch that is canceled, or takes too long, ends git and leaves nothing behind", async () => {
	await withBench(
		async (bench) => {
			const started = performance.now();
			const canceled = new AbortController();
			const handle = () => setImmediate(() => canceled.abort(new Error("canceled")));
			await withServer(handle, async ({ url }) => {
				await assert.rejects(bench.fetch(`${url}/silent`, canceled.signal), /canceled/);
				assert.ok(!bench.run("ps", ["-eo", "args"]).includes(`${url}/silent`));
			});
			await withServer(
				() => {},
				async ({ url }) => {
					await assertRefused(bench, `${url}/silent`, /not fetched within 1 seconds \(content\.fetch_timeout\)/);
					assert.ok(!bench.run("ps", ["-eo", "args"]).includes(`${url}/silent`));
				},
			);
			assert.deepEqual(bench.left(), []);
			// What git has started would wait a minute for the server.
			assert.ok(performance.now() - started < 30_000);
		},
		{ limits: { seconds: 1 } },
	);
});

test("the latest of a branch is its newest commit, of a version the newest version, of a commit itself", async () => {
	await withBench(async (bench) => {
		const { first, url } = writeRepository(bench);
		const [main, version, commit] = [await bench.fetch(url), await bench.fetch(`${url}=1.4.0`), await bench.fetch(`${url}=${first}`)];
		assert.deepEqual(await bench.latest(version), { revision: "v1.4.0", commit: first, version: "1.4.0" });
		const next = bench.commit("disk", "three");
		bench.git("disk", "tag", "v1.10.0");
		bench.git("disk", "tag", "v1.9.0");
		bench.git("disk", "tag", "newest");
		assert.deepEqual(await bench.latest(main), { revision: null, commit: next });
		assert.deepEqual(await bench.latest(version), { revision: "v1.10.0", commit: next, version: "1.10.0" });
		assert.deepEqual(await bench.latest(commit), { revision: first, commit: first });
		assert.ok(!readdirSync(tmpdir()).some((name) => name.startsWith("svc-latest-")));
	});
});

plainTest.run();
