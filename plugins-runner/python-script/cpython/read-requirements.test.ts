import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import { type Requirements, readRequirements } from "./read-requirements.ts";

/** What a pack with these files wants. */
async function read(files: Readonly<Record<string, string>>, prepare = async (_pack: string) => {}): Promise<Requirements | undefined> {
	const root = await mkdtemp(join(tmpdir(), "svc-requirements-"));
	const pack = join(root, "pack");
	try {
		await mkdir(pack);
		for (const [name, text] of Object.entries(files)) {
			await mkdir(dirname(join(pack, name)), { recursive: true });
			await writeFile(join(pack, name), text);
		}
		await prepare(pack);
		return await readRequirements(pack);
	} finally {
		await rm(root, { recursive: true });
	}
}

test("packages are named as pip has them, comments and blank lines left out", async () => {
	const text = `\uFEFF# ours
requests==2.31.0   # why
six
ruamel.yaml[jinja2] >= 0.17, < 1 ; python_version >= "3.8"
long==1.0 \\
  --hash=sha256:00ff \\
  --hash sha256:aa11
tool @ https://example.org/tool-1.0.tar.gz
git+https://github.com/example/thing.git@v1.0#egg=thing
https://example.org/other.whl
--pre
--only-binary=:all:
`;
	assert.deepEqual(await read({ "requirements.txt": text }), {
		wanted: [
			"requests==2.31.0",
			"six",
			'ruamel.yaml[jinja2] >= 0.17, < 1 ; python_version >= "3.8"',
			"long==1.0   --hash=sha256:00ff   --hash sha256:aa11",
			"tool @ https://example.org/tool-1.0.tar.gz",
			"git+https://github.com/example/thing.git@v1.0#egg=thing",
			"https://example.org/other.whl",
			"--pre",
			"--only-binary=:all:",
		],
		constraints: [],
	});
	assert.equal(await read({}), undefined);
	assert.equal(await read({ "requirements.txt": "# nothing\n\n" }), undefined);
});

test("other files of the pack are included, each once, also by one another", async () => {
	const files = {
		"requirements.txt": "-r deps/one.txt\n--requirement=deps/two.txt\n-c pins.txt\nsix\n",
		"deps/one.txt": "a\n-rtwo.txt\n-r ../requirements.txt\n",
		"deps/two.txt": "b\n",
		"pins.txt": "a<2\n-r deps/more.txt\n",
		"deps/more.txt": "b<3\n",
	};
	assert.deepEqual(await read(files), { wanted: ["a", "b", "six"], constraints: ["a<2", "b<3"] });
});

const refused: readonly [line: string, problem: RegExp][] = [
	["-r ../other/requirements.txt", /line 2: "\.\.\/other\/requirements\.txt" is outside the pack/],
	["-r /etc/passwd", /is outside the pack/],
	["-r https://example.org/list.txt", /is not a file of the pack/],
	["-c file:///etc/passwd", /is not a file of the pack/],
	["-r gone.txt", /"gone\.txt" does not exist/],
	["-e .", /option "-e" is not allowed in a pack; write the URL without it/],
	["-e git+https://example.org/a.git", /option "-e" is not allowed/],
	["--index-url https://example.org/simple", /option "--index-url" is not allowed/],
	["--extra-index-url=https://example.org/simple", /option "--extra-index-url" is not allowed/],
	["-i https://example.org/simple", /option "-i" is not allowed/],
	["--find-links /tmp", /option "--find-links" is not allowed/],
	["--trusted-host example.org", /option "--trusted-host" is not allowed/],
	["six --global-option=x", /option "--global-option=x" is not allowed/],
	["six --config-settings=a=b", /option "--config-settings/],
	["./local", /neither a package name nor an https URL/],
	["/opt/local.whl", /neither a package name/],
	["../up", /neither a package name/],
	["file:///opt/local.whl", /neither a package name/],
	["git+ssh://git@example.org/a.git", /neither a package name/],
	["git+file:///opt/a", /neither a package name/],
	["http://example.org/a.whl", /neither a package name/],
	["git+https://example.org/a.git@--upload-pack=x", /neither a package name/],
	["git+https://user@example.org/a.git@-x", /neither a package name/],
	["a @ file:///opt/a", /"file:\/\/\/opt\/a" is not an https URL/],
	["a @ ./b", /is not an https URL/],
	["a\0b", /NUL/],
];

for (const [line, problem] of refused) {
	test(`it is refused by name: ${JSON.stringify(line)}`, async () => {
		await assert.rejects(read({ "requirements.txt": `six\n${line}\n` }), { code: "SVC_RUNNER", message: problem });
	});
}

test("a link that is outside the pack is not followed, and neither are files without end", async () => {
	const link = (pack: string) => symlink("/etc/hostname", join(pack, "more.txt"));
	await assert.rejects(read({ "requirements.txt": "-r more.txt\n" }, link), /is outside the pack/);
	await assert.rejects(
		read({ "requirements.txt": "-r more.txt\n", "more.txt": "#".repeat(1_000_001) }),
		/more than 1000000 bytes in total/,
	);
	const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.txt`, `-r ${index + 1}.txt\n`]));
	await assert.rejects(read({ ...many, "requirements.txt": "-r 0.txt\n" }), /more than 100 files/);
});

test.run();
