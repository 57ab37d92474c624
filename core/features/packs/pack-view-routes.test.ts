import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { parse } from "yaml";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import type { PackEntity } from "../../contract/index.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { nextId } from "../../testing/storage/fixtures.ts";
import { PackContents } from "./content/pack-contents.ts";
import { notInstalled } from "./registration/not-installed.ts";

const manifest =
	"name: Disk tools\ndescription: Volume care.\nversion: 1.4.0\nauthor: Storage team\nemail: storage@example.org\nkeywords: [storage]\n";

interface Subject extends ServiceUnderTest {
	/** Directory of the pack `disk`. */
	readonly pack: string;
	/** What a GET is answered with. */
	get(
		path: string,
		headers?: Record<string, string>,
	): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
	/** Keep the files of `disk` in the storage, as pack `stored`; the id of the content. */
	install(): Promise<string>;
}

async function withPack(files: Readonly<Record<string, string | Buffer>>, use: (subject: Subject) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-pack-views-"));
	const pack = join(directory, "packs", "disk");
	for (const [path, text] of Object.entries({ "pack.yaml": manifest, ...files })) {
		mkdirSync(dirname(join(pack, path)), { recursive: true });
		writeFileSync(join(pack, path), text);
	}
	try {
		await withService(
			async (service) => {
				const get: Subject["get"] = async (path, headers = {}) => {
					const answer = await service.ask(`/v1${path}`, { headers });
					return { status: answer.status, headers: answer.headers, text: Buffer.from(await answer.arrayBuffer()).toString("latin1") };
				};
				await use({ ...service, pack, get, install: () => install(service, directory, pack) });
			},
			{ packs: [join(directory, "packs")] },
		);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

async function install(service: ServiceUnderTest, directory: string, pack: string): Promise<string> {
	const storage = service.storage();
	const limits = { size: 10_000_000, files: 1_000 };
	const parts = { storage, clock: getSystemClock(), logger: silentLogger, limits, root: join(directory, "laid-out") };
	const content = await new PackContents(parts).store(pack, { pack: "stored", signal: new AbortController().signal });
	const text = { ref: "stored", name: "stored", description: "d", version: "1.0.0", author: "a" };
	const source = { kind: "git", address: "https://example.org/disk.git", revision: "v1", commit: "0".repeat(40) };
	const installation = { at: "2031-03-04T09:15:02.518273Z", by: "maria", execution_id: "0".repeat(24) };
	const entity: PackEntity = { id: nextId(), ...text, path: null, metadata: {}, ...notInstalled, content, source, installation };
	await storage.insert("pack", [entity]);
	return content;
}

const json = (text: string) => JSON.parse(text) as WireRecord;
const refs = (text: string) => (JSON.parse(text) as readonly WireRecord[]).map(({ ref }) => ref);

test("a pack is shown with what its manifest says, its files and where it came from", () =>
	withPack({ "actions/a.sh": "#!/bin/sh\n", ".git/config": "url = https://me:pass@host\n" }, async ({ get, pack, install }) => {
		const record = json((await get("/packs/disk")).text);
		assert.deepEqual(record, {
			id: record["id"],
			uid: "pack:disk",
			ref: "disk",
			name: "Disk tools",
			description: "Volume care.",
			version: "1.4.0",
			author: "Storage team",
			email: "storage@example.org",
			keywords: ["storage"],
			python_versions: [],
			contributors: [],
			dependencies: [],
			files: ["pack.yaml", "actions/a.sh"],
			path: pack,
			system: {},
		});
		assert.deepEqual(json((await get(`/packs/${String(record["id"])}`)).text), record);
		const content = await install();
		const installed = json((await get("/packs/stored")).text);
		assert.equal(installed["content"], content);
		assert.equal(installed["path"], undefined);
		assert.equal((installed["source"] as WireRecord)["revision"], "v1");
		assert.equal((installed["installation"] as WireRecord)["by"], "maria");
		assert.equal((await get("/packs/none")).status, 404);
	}));

test("members that only the manifest knows are kept, and none of them takes the place of another", () =>
	withPack(
		{
			"pack.yaml": `${manifest}ref: disk\nid: mine\nuid: mine\nfiles: [/etc/passwd]\npath: /etc\nsystem: mine\ncontent: mine\n__proto__: {polluted: true}\nconstructor: {a: 1}\nextra: {kept: true}\nlarge: ${"x".repeat(200_000)}\nlate: 1\n`,
		},
		async ({ get }) => {
			const { text } = await get("/packs/disk");
			const record = json(text);
			assert.match(String(record["id"]), /^[0-9a-f]{24}$/);
			assert.equal(record["uid"], "pack:disk");
			assert.deepEqual(record["files"], ["pack.yaml"]);
			assert.deepEqual(record["system"], {});
			assert.deepEqual(record["extra"], { kept: true });
			assert.deepEqual(record["constructor"], { a: 1 });
			assert.ok(!text.includes("polluted") && !("content" in record) && !("large" in record));
			assert.ok(text.length < 10_000);
		},
	));

test("packs are listed by ref, a page at a time, chosen, sorted and with the members that are asked for", () =>
	withPack({}, async ({ get, install }) => {
		await install();
		const all = await get("/packs");
		assert.deepEqual(refs(all.text), [...refs(all.text)].sort());
		assert.ok(["core", "default", "disk", "stored"].every((ref) => refs(all.text).includes(ref)));
		const total = refs(all.text).length;
		assert.deepEqual([all.headers.get("x-total-count"), all.headers.get("x-limit")], [String(total), "100"]);
		assert.deepEqual(refs((await get("/packs?limit=1&offset=1&sort=-ref")).text), [[...refs(all.text)].sort().at(-2)]);
		assert.deepEqual(refs((await get("/packs?ref=disk")).text), ["disk"]);
		assert.deepEqual(refs((await get("/packs?name=Disk tools,core")).text), ["core", "disk"]);
		const [record] = JSON.parse((await get("/packs?ref=disk&include_attributes=version")).text) as readonly WireRecord[];
		assert.deepEqual(Object.keys(record ?? {}), ["id", "version"]);
		const [rest] = JSON.parse((await get("/packs?ref=disk&exclude_attributes=files")).text) as readonly WireRecord[];
		assert.ok(rest !== undefined && !("files" in rest) && "keywords" in rest);
		assert.equal((await get("/packs?include_attributes=metadata")).status, 400);
		assert.equal((await get("/packs?id=x")).status, 400);
	}));

const shown = {
	"README.md": "# Disk\n",
	"actions/größe.py": "print('ö')\n",
	"icon.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
	"page.html": "<script>alert(1)</script>",
	LICENSE: "free",
	large: "x".repeat(500_001),
};

test("the texts of a pack are shown together, and each file by itself, in a directory and in the storage", () =>
	withPack(shown, async ({ get, install }) => {
		await install();
		for (const pack of ["disk", "stored"]) {
			const texts = JSON.parse(Buffer.from((await get(`/packs/views/files/${pack}`)).text, "latin1").toString()) as readonly WireRecord[];
			assert.deepEqual(
				texts.map(({ file_path }) => file_path).sort(),
				["LICENSE", "README.md", "actions/größe.py", "pack.yaml", "page.html"],
				pack,
			);
			assert.equal(texts.find(({ file_path }) => file_path === "actions/größe.py")?.["content"], "print('ö')\n");
			const file = (path: string, headers = {}) => get(`/packs/views/file/${pack}/${path}`, headers);
			const types: string[] = [];
			for (const path of ["README.md", `actions/${encodeURIComponent("größe.py")}`, "icon.png", "page.html", "LICENSE"]) {
				const { status, headers } = await file(path);
				assert.equal(status, 200, path);
				assert.equal(headers.get("x-content-type-options"), "nosniff");
				assert.equal(headers.get("content-security-policy"), "default-src 'none'; sandbox");
				types.push(headers.get("content-type") ?? "");
			}
			assert.deepEqual(types, ["text/markdown", "text/x-python", "image/png", "text/html", "text/plain"]);
			assert.equal((await file("icon.png")).text, shown["icon.png"].toString("latin1"));
			const large = await file("large");
			assert.equal(large.status, 400);
			assert.equal(json(large.text)["faultstring"], 'file "large" can be shown only up to 500000 bytes, has 500001');
			assert.equal((await file("actions")).status, 404);
		}
	}));

test("a pack that the service brings has its manifest as a file", () =>
	withPack({}, async ({ get }) => {
		for (const ref of ["core", "default", "packs"]) {
			const { status, headers, text } = await get(`/packs/views/file/${ref}/pack.yaml`);
			const { version, author, description } = json((await get(`/packs/${ref}`)).text);
			assert.deepEqual([status, headers.get("content-type")], [200, "application/x-yaml"]);
			assert.deepEqual(parse(text), { ref, name: ref, version, author, description });
			assert.deepEqual(JSON.parse((await get(`/packs/views/files/${ref}`)).text), [{ file_path: "pack.yaml", content: text }]);
			const again = await get(`/packs/views/file/${ref}/pack.yaml`, { "if-none-match": headers.get("etag") ?? "" });
			assert.deepEqual([again.status, (await get(`/packs/views/file/${ref}/actions/local.yaml`)).status], [304, 404]);
		}
	}));

test("a file is sent again when it has changed, and not before", () =>
	withPack({ "a.txt": "one" }, async ({ get, pack, install }) => {
		await install();
		for (const ref of ["disk", "stored"]) {
			const file = (headers = {}) => get(`/packs/views/file/${ref}/a.txt`, headers);
			const { headers } = await file();
			const [tag = "", modified = ""] = [headers.get("etag"), headers.get("last-modified")].map(String);
			assert.ok(!tag.includes('"') && tag.length > 3);
			for (const known of [tag, `"${tag}"`, `W/"x", "${tag}"`, "*"]) {
				const answer = await file({ "if-none-match": known });
				assert.deepEqual([answer.status, answer.text, answer.headers.get("etag")], [304, "", tag]);
			}
			assert.equal((await file({ "if-modified-since": modified })).status, 304);
			assert.equal((await file({ "if-none-match": "x", "if-modified-since": modified })).status, 200);
			assert.equal((await file({ "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).status, 200);
			assert.equal((await file({ "if-modified-since": "when it was" })).status, 200);
			if (ref !== "disk") continue;
			writeFileSync(join(pack, "a.txt"), "two");
			utimesSync(join(pack, "a.txt"), 2_000_000_000, 2_000_000_000);
			assert.deepEqual([(await file({ "if-none-match": tag })).text, (await file({ "if-modified-since": modified })).text], ["two", "two"]);
		}
	}));

test("no path leads out of a pack, into its repository, or to what is no file", () =>
	withPack({ "a.txt": "one", ".git/config": "url = https://me:a-password@host\n", "sub/.git/config": "a-password" }, async (subject) => {
		const { get, pack, install } = subject;
		writeFileSync(join(dirname(pack), "outside"), "beyond the pack");
		symlinkSync(join(dirname(pack), "outside"), join(pack, "link"));
		symlinkSync("..", join(pack, "up"));
		symlinkSync(".git/config", join(pack, "inner"));
		symlinkSync("a.txt", join(pack, "within"));
		execFileSync("mkfifo", [join(pack, "pipe")]);
		const paths = ["../outside", "..%2foutside", "%2e%2e/outside", "a.txt/../../outside", "%2fetc%2fpasswd", "link", "up/outside", "inner"];
		const more = [".git/config", "sub/.git/config", "pipe", "a.txt%00.png", "", "/", "x".repeat(5_000), `${"d/".repeat(2_000)}x`, "sub"];
		for (const path of [...paths, ...more]) {
			const { status, text } = await get(`/packs/views/file/disk/${path}`);
			assert.ok([400, 404, 405, 414, 431].includes(status), `${status} ${path.slice(0, 40)}`);
			assert.doesNotMatch(text, /beyond|a-password|root:/, path);
		}
		assert.equal((await get("/packs/views/file/disk/within")).text, "one");
		assert.doesNotMatch((await get("/packs/views/files/disk")).text, /beyond|a-password/);
		for (const name of ["link", "up", "inner", "within", "pipe", ".git", "sub"]) rmSync(join(pack, name), { recursive: true });
		await install();
		for (const path of ["..%2fa.txt", "./a.txt%00", "__proto__", "constructor"])
			assert.equal((await get(`/packs/views/file/stored/${path}`)).status, 404, path);
	}));

test("a directory that this node does not have is no failure", () =>
	withPack({}, async ({ get, pack }) => {
		rmSync(pack, { recursive: true });
		const { status, text } = await get("/packs/views/files/disk");
		assert.deepEqual([status, json(text)["faultstring"]], [404, 'the directory of pack "disk" is not on this node']);
		assert.equal((await get("/packs/disk")).status, 200);
	}));

test("the command lists packs, shows them, their files and what stands in one", () =>
	withPack({ "actions/a.sh": "#!/bin/sh\necho \u001b]0;title\u0007\n" }, async ({ urls, token, pack }) => {
		const svc = async (...words: readonly string[]) => {
			const [stdout, stderr] = [new CapturedText(), new CapturedText()];
			const env = { HOME: dirname(pack), SVC_API_URL: urls.api, SVC_AUTH_TOKEN: token };
			const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => true });
			return { exitCode, stdout: stdout.text, stderr: stderr.text };
		};
		const listed = await svc("pack", "list", "-o", "wide");
		assert.equal(listed.stderr, "");
		assert.match(listed.stdout, /^ref +name +description +version +author/);
		assert.match(listed.stdout, /disk.*Disk tools.*Volume care\..*1\.4\.0.*Storage team/);
		assert.match((await svc("pack", "get", "disk")).stdout, /Disk tools/);
		assert.match((await svc("pack", "files", "disk")).stdout, /pack\.yaml[^]*actions\/a\.sh/);
		assert.equal((await svc("pack", "files", "disk", "actions/a.sh")).stdout, "#!/bin/sh\necho \u001b]0;title\u0007\n");
		const missing = await svc("pack", "files", "disk", "none");
		assert.deepEqual([missing.exitCode, missing.stderr.includes("svc pack files disk")], [2, true]);
		assert.equal((await svc("pack", "get", "none")).exitCode, 2);
	}));

test.run();
