import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { type PackRequest, parsePackRequest } from "./parse-request.ts";

const understood: readonly (readonly [string, Omit<PackRequest, "text">])[] = [
	["disk", { kind: "index", name: "disk" }],
	["disk=1.4.0", { kind: "index", name: "disk", revision: "1.4.0" }],
	["disk=1.2.x", { kind: "index", name: "disk", revision: "1.2.x" }],
	["disk=>=1.2, <2", { kind: "index", name: "disk", revision: ">=1.2, <2" }],
	["disk>=1.2", { kind: "index", name: "disk", revision: ">=1.2" }],
	["disk >= 1.2, < 2", { kind: "index", name: "disk", revision: ">= 1.2, < 2" }],
	["disk==1.2.0", { kind: "index", name: "disk", revision: "==1.2.0" }],
	["disk!=1.2.0", { kind: "index", name: "disk", revision: "!=1.2.0" }],
	["disk<2", { kind: "index", name: "disk", revision: "<2" }],
	[
		"https://git.example.org/disk.git>=1.2#packs/disk",
		{ kind: "git", address: "https://git.example.org/disk.git", revision: ">=1.2", subdirectory: "packs/disk" },
	],
	["disk=^1.2", { kind: "index", name: "disk", revision: "^1.2" }],
	["disk=feature/x", { kind: "index", name: "disk", revision: "feature/x" }],
	["storage-team/disk", { kind: "git", address: "https://github.com/storage-team/disk" }],
	["storage-team/disk=v2", { kind: "git", address: "https://github.com/storage-team/disk", revision: "v2" }],
	["https://git.example.org/disk.git", { kind: "git", address: "https://git.example.org/disk.git" }],
	["https://git.example.org/disk/", { kind: "git", address: "https://git.example.org/disk/" }],
	["https://git.example.org/disk.git=0a1b2c3", { kind: "git", address: "https://git.example.org/disk.git", revision: "0a1b2c3" }],
	["https://maria:a=b@git.example.org/disk=main", { kind: "git", address: "https://maria:a=b@git.example.org/disk", revision: "main" }],
	[
		"https://git.example.org/packs.git=main#packs/disk",
		{ kind: "git", address: "https://git.example.org/packs.git", revision: "main", subdirectory: "packs/disk" },
	],
	["git@git.example.org:team/disk.git=v1", { kind: "git", address: "git@git.example.org:team/disk.git", revision: "v1" }],
	["ssh://git@git.example.org:2222/disk.git", { kind: "git", address: "ssh://git@git.example.org:2222/disk.git" }],
	["https://example.org/disk-1.0.tar.gz", { kind: "archive", address: "https://example.org/disk-1.0.tar.gz" }],
	["https://example.org/disk.tgz?signature=a=b", { kind: "archive", address: "https://example.org/disk.tgz?signature=a=b" }],
	["http://example.org/disk.zip#disk", { kind: "archive", address: "http://example.org/disk.zip", subdirectory: "disk" }],
	["file:///srv/packs/disk", { kind: "directory", address: "file:///srv/packs/disk" }],
	["file:///srv/packs/disk.git", { kind: "git", address: "file:///srv/packs/disk.git" }],
	["file:///srv/packs/disk=v1", { kind: "git", address: "file:///srv/packs/disk", revision: "v1" }],
	["file:///srv/packs/a%20b.zip", { kind: "archive", address: "/srv/packs/a b.zip" }],
	["/srv/packs/disk", { kind: "directory", address: "/srv/packs/disk" }],
	["/srv/packs/my disk.tar.gz", { kind: "archive", address: "/srv/packs/my disk.tar.gz" }],
];

for (const [text, expected] of understood) {
	test(`${text} is understood`, () => {
		const { text: shown, ...rest } = parsePackRequest(text);
		assert.deepEqual(rest, expected);
		assert.ok(!shown.includes("a=b"), shown);
	});
}

test("org/repository is a part of the host that is configured", () => {
	assert.equal(parsePackRequest("team/disk", "https://git.example.org/").address, "https://git.example.org/team/disk");
});

const refusals: readonly (readonly [string, RegExp])[] = [
	["", /a pack is required/],
	["  ", /a pack is required/],
	["--upload-pack=touch /tmp/x", /begins with a dash/],
	["-oProxyCommand=x", /begins with a dash/],
	["ext::sh -c touch% /tmp/x", /git remote helper/],
	["fd::17", /git remote helper/],
	["https://example.org/a.git=--upload-pack=x", /revision "--upload-pack=x"/],
	["https://example.org/a.git=a..b", /revision/],
	["https://example.org/a.git=@{-1}", /revision/],
	["https://example.org/a.git=:/x", /revision/],
	["disk=", /revision ""/],
	["disk=a b", /revision/],
	["git@-oProxyCommand:disk", /no valid host/],
	["git@example.org:-oProxyCommand=x", /dash/],
	["ssh://-oProxyCommand=x/disk", /no valid host|not a valid URL/],
	["ssh://git:word@example.org/disk", /password/],
	["git://example.org/disk.git", /begins with git:\/\//],
	["ftp://example.org/disk.tar.gz", /begins with ftp:/],
	["javascript:alert(1)", /is invalid/],
	["https://example.org/a.git\nhost=b", /misleading characters/],
	["https://example.org/a%0ahost=b", /misleading characters/],
	["https://example.org/a.git?x=1", /must not contain "\?"/],
	["https://example.org/disk.tar.gz=v1", /archive, which has no revision/],
	["https://example.org/disk.tar.xz", /unsupported type/],
	["https://example.org", /no path/],
	["https://example.org/a#../../etc", /is outside/],
	["https://example.org/a#", /empty directory/],
	["file://host/srv/disk", /absolute path/],
	["/srv/../etc", /must not hold "\.\."/],
	["./disk", /is invalid/],
	["../disk", /is invalid/],
	["a/b/c", /is invalid/],
	[`/${"a".repeat(3_000)}`, /must have at most 2000 characters/],
];

for (const [text, reason] of refusals) {
	test(`${JSON.stringify(text.slice(0, 60))} is refused by name`, () => {
		assert.throws(
			() => parsePackRequest(text),
			(error: Error) => isSvcError(error, "SVC_INVALID") && reason.test(error.message),
		);
	});
}

test("a password is in no text and no message", () => {
	const { text, address } = parsePackRequest("https://maria:geheim@example.org/disk.git=v1");
	assert.equal(text, "https://example.org/disk.git=v1");
	assert.ok(address?.includes("geheim"));
	assert.throws(
		() => parsePackRequest("https://maria:geheim@example.org/disk.git=a..b"),
		(error: Error) => !error.message.includes("geheim"),
	);
});

test.run();
