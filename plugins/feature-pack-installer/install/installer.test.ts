import * as assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { createExecution } from "../../../core/testing/storage/fixtures.ts";
import { type Done, type InstallBench, withInstalls } from "./installing.test-support.ts";
import { toLockEntries } from "./lockfile-entries.ts";

test("a pack is installed with what it depends on, and told what it came from", () =>
	withInstalls(async (bench) => {
		const commit = bench.commitPack("disk", "1.4.0", { manifest: `dependencies: ["${bench.address("base")}"]\n` });
		bench.commitPack("base", "1.0.0");
		const done = await bench.install([bench.address("disk")]);
		assert.deepEqual([done.error, done.packs, done.conflicts], [undefined, ["base", "disk"], []]);
		assert.deepEqual(await bench.installed(), { base: "1.0.0", disk: "1.4.0" });
		const { source, installation, content, path, earlier } = await bench.pack("disk");
		assert.deepEqual([source?.["commit"], source?.["kind"], source?.["index"]], [commit, "git", null]);
		assert.deepEqual([installation?.["by"], installation?.["execution_id"], path, earlier], ["maria", "execution-1", null, []]);
		assert.match(content ?? "", /^[0-9a-f]{64}$/);
		assert.match(
			done.printed,
			/fetch file:.*\n {4}fetching .*\n[^]*switch to base 1\.0\.0, disk 1\.4\.0\ninstalled: base 1\.0\.0, disk 1\.4\.0\n$/,
		);
		assert.deepEqual(await bench.left(), []);
	}));

test("what is installed already is left as it is, unless it is forced", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.4.0");
		await bench.install([bench.address("disk")]);
		const again = await bench.install([bench.address("disk")]);
		assert.match(again.printed, /disk 1\.4\.0 is installed already: nothing to do/);
		assert.deepEqual([again.packs, (await bench.pack("disk")).installation?.["execution_id"]], [["disk"], "execution-1"]);
		await bench.install([bench.address("disk")], { force: true });
		assert.equal((await bench.pack("disk")).installation?.["execution_id"], "execution-3");
	}));

test("five earlier versions are kept, and each can be gone back to without its source", () =>
	withInstalls(async (bench) => {
		for (let minor = 0; minor < 7; minor += 1) {
			bench.commitPack("disk", `1.${minor}.0`);
			await bench.install([bench.address("disk")]);
		}
		const earlier = (await bench.pack("disk")).earlier?.map(({ version }) => version);
		assert.deepEqual(earlier, ["1.5.0", "1.4.0", "1.3.0", "1.2.0", "1.1.0"]);
		bench.sources.remove();
		assert.equal((await bench.perform("rollback", { pack: "disk" })).error, undefined);
		assert.deepEqual(await bench.installed(), { disk: "1.5.0" });
		assert.equal((await bench.perform("rollback", { pack: "disk", version: "1.2.0" })).error, undefined);
		const pack = await bench.pack("disk");
		assert.deepEqual([pack.version, pack.earlier?.map(({ version }) => version)], ["1.2.0", ["1.5.0", "1.6.0", "1.4.0", "1.3.0", "1.1.0"]]);
		assert.match((await bench.perform("rollback", { pack: "disk", version: "9" })).error ?? "", /"9" is not one of .*: 1\.5\.0, 1\.6\.0/);
	}));

test("an upgrade installs what is newer where the pack came from, and says so when nothing is", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0");
		bench.commitPack("base", "1.0.0");
		await bench.install([bench.address("disk"), `${bench.address("base")}=main`]);
		assert.match((await bench.perform("upgrade", { all: true })).printed, /all packs are up to date/);
		bench.commitPack("disk", "1.1.0");
		bench.commitPack("base", "1.2.0");
		assert.deepEqual((await bench.perform("upgrade", { packs: ["base"] })).packs, ["base"]);
		assert.deepEqual(await bench.installed(), { base: "1.2.0", disk: "1.0.0" });
		await bench.perform("upgrade", { all: true });
		assert.deepEqual(await bench.installed(), { base: "1.2.0", disk: "1.1.0" });
	}));

test("a lock file installs exactly what was installed, whatever the branch is now, and refuses other files", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0");
		await bench.install([bench.address("disk")]);
		const locked = toLockEntries(await bench.storage.find("pack", {}));
		bench.commitPack("disk", "2.0.0");
		await bench.perform("uninstall", { packs: ["disk"] });
		assert.equal((await bench.perform("install", { locked } as never)).error, undefined);
		assert.deepEqual(await bench.installed(), { disk: "1.0.0" });
		const other = locked.map((entry) => ({ ...entry, content: "ab".repeat(32) }));
		assert.match(
			(await bench.perform("install", { locked: other } as never)).error ?? "",
			/pack "disk" has files that differ from the lock file/,
		);
		const renamed = locked.map((entry) => ({ ...entry, ref: "tape" }));
		assert.match((await bench.perform("install", { locked: renamed } as never)).error ?? "", /pack "disk" is not in the lock file/);
		assert.match(
			(await bench.perform("install", { locked, packs: ["x"] } as never)).error ?? "",
			/^packs: name at least one pack to install/,
		);
	}));

test("a pack that others need goes only when it is forced to, and a system pack and one of the configuration never", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0", { manifest: `dependencies: ["${bench.address("base")}"]\n` });
		bench.commitPack("base", "1.0.0");
		await bench.install([bench.address("disk")]);
		const refused = await bench.perform("uninstall", { packs: ["base"] });
		assert.match(refused.error ?? "", /nothing was changed: pack "disk" depends on "base"/);
		assert.deepEqual(refused.conflicts, ['pack "disk" depends on "base"']);
		assert.equal((await bench.perform("uninstall", { packs: ["base"], force: true })).error, undefined);
		assert.deepEqual(await bench.installed(), { disk: "1.0.0" });
		assert.match((await bench.perform("uninstall", { packs: ["core"] })).error ?? "", /"core" is not installed|is built in/);
		const disk = await bench.pack("disk");
		await bench.storage.update("pack", disk.id, { path: "/site/packs/disk", content: null });
		assert.match((await bench.perform("uninstall", { packs: ["disk"] })).error ?? "", /is loaded from a directory listed in "packs"/);
		assert.match((await bench.install([bench.address("disk")])).error ?? "", /is loaded from a directory listed in "packs"/);
		bench.sources.write("core/pack.yaml", "ref: core\nname: core\ndescription: d\nversion: 1.0.0\nauthor: a\n");
		assert.match((await bench.install([join(bench.sources.root, "core")])).error ?? "", /pack "core" is built in/);
	}));

/** Ways to fail after 1.0.0 was installed, and what is said. */
const failures: Readonly<Record<string, readonly [spoil: (bench: InstallBench) => unknown, expected: RegExp]>> = {
	"the repository is gone": [(bench) => bench.sources.remove(), /disk/],
	"the manifest cannot be used": [
		(bench) => {
			bench.sources.write("disk/pack.yaml", "ref: disk\n");
			bench.sources.commit("disk");
		},
		/contains an invalid pack\.yaml: attribute "name" is missing/,
	],
	"the service is too old": [
		(bench) => bench.commitPack("disk", "2.0.0", { manifest: 'svc_version: ">=99"\n' }),
		/"svc_version" requires >=99/,
	],
	"it wants another Python": [(bench) => bench.commitPack("disk", "2.0.0", { manifest: 'python_versions: ["2"]\n' }), /runs with Python 2/],
	"its requirements cannot be met": [
		(bench) => {
			bench.commitPack("disk", "2.0.0");
			bench.prepare = async ({ emit }) => {
				await emit("stderr", "no such package\n");
				throw new Error("requirements.txt: pip ended with 1");
			};
		},
		/pip ended with 1/,
	],
	"one of its rules does not compile": [
		(bench) => {
			bench.commitPack("disk", "2.0.0");
			bench.beforeReady = () => Promise.reject(new Error("rules/watch.yaml: attribute trigger is missing"));
			bench.prepare = () => Promise.reject(new Error("it was made ready all the same"));
		},
		/rules\/watch\.yaml/,
	],
	"somebody has taken what it needs before it is switched": [
		(bench) => {
			bench.commitPack("disk", "2.0.0");
			bench.beforeSwitch = () => Promise.reject(new Error("rules/watch.yaml: there is no such trigger type"));
		},
		/no such trigger type/,
	],
	"the disk is full": [
		async (bench) => {
			bench.commitPack("disk", "2.0.0");
			// No directory can be made where a file is.
			await writeFile(join(bench.dataDirectory, "pack-staging"), "");
		},
		/pack-staging/,
	],
};

for (const [name, [spoil, expected]] of Object.entries(failures)) {
	test(`the old version stays and nothing is left behind where ${name}`, () =>
		withInstalls(async (bench) => {
			bench.commitPack("disk", "1.0.0");
			await bench.install([bench.address("disk")]);
			const before = await bench.pack("disk");
			await rm(join(bench.dataDirectory, "pack-staging"), { recursive: true });
			await spoil(bench);
			const done = await bench.install([bench.address("disk")]);
			assert.match(done.error ?? "", expected);
			assert.deepEqual([await bench.pack("disk"), done.packs.length > 1], [before, false]);
			assert.deepEqual(await bench.left(), []);
		}));
}

test("after a failure the next try succeeds", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0");
		bench.prepare = () => Promise.reject(new Error("no network"));
		assert.match((await bench.install([bench.address("disk")])).error ?? "", /no network/);
		assert.deepEqual(await bench.installed(), {});
		bench.prepare = async () => {};
		assert.equal((await bench.install([bench.address("disk")])).error, undefined);
		assert.deepEqual(await bench.installed(), { disk: "1.0.0" });
	}));

test("what a killed installation has left goes with the next one, and what another one works with stays", () =>
	withInstalls(async (bench) => {
		const [dead, alive] = [createExecution({ status: "abandoned" }), createExecution({ status: "running" })];
		await bench.storage.insert("execution", [dead, alive]);
		for (const name of [dead.id, alive.id, "unknown"])
			await mkdir(join(bench.dataDirectory, "pack-staging", name, "-1/tree"), { recursive: true });
		bench.commitPack("disk", "1.0.0");
		assert.equal((await bench.install([bench.address("disk")])).error, undefined);
		assert.deepEqual([...(await bench.left())].sort(), [alive.id, "unknown"].sort());
	}));

test("a job that is canceled ends at its next step, and changes nothing", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0");
		const cancel = new AbortController();
		bench.prepare = async () => cancel.abort(new Error("canceled"));
		const done = await bench.perform("install", { packs: [bench.address("disk")] }, cancel.signal);
		assert.match(done.error ?? "", /canceled/);
		assert.deepEqual([await bench.installed(), done.tasks.at(-1)], [{}, "prepare the environment of disk 1.0.0: canceled"]);
	}));

test("two installations of a pack at once end with one after the other", () =>
	withInstalls(async (bench) => {
		bench.commitPack("disk", "1.0.0");
		let second: Promise<Done> | undefined;
		bench.prepare = async () => {
			if (second !== undefined) return;
			await new Promise<void>((resolve) => {
				bench.onPrint = (text) => text.includes("waiting for another installation") && resolve();
				second = bench.install([bench.address("disk")]);
			});
		};
		const first = await bench.install([bench.address("disk")]);
		const then = await second;
		assert.deepEqual([first.error, then?.error], [undefined, undefined]);
		assert.match(then?.printed ?? "", /waiting for another installation of "disk"[^]*nothing to do/);
	}));

for (const address of [
	"--upload-pack=touch /tmp/evil",
	"ext::sh -c id",
	"https://user:secret@git.invalid/x",
	"https://secret@git.invalid/x",
	"a\nb",
	"",
]) {
	test(`what is no address is refused by name: ${JSON.stringify(address)}`, () =>
		withInstalls(async (bench) => {
			const { error } = await bench.install([address]);
			assert.match(error ?? "", /^pack |^a pack is required|^packs: /);
			assert.doesNotMatch(error ?? "", /secret/);
			assert.deepEqual(await bench.installed(), {});
		}));
}

test.run();
