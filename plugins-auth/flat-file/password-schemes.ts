/// <reference path="./unix-crypt-td-js.d.ts" />

import { createHash, timingSafeEqual } from "node:crypto";
import { compareSync } from "bcryptjs";
import desCrypt from "unix-crypt-td-js";
import { maximumBcryptBytes } from "./bcrypt.ts";
import { toCryptBase64 } from "./crypt-base64.ts";
import { shaCrypt } from "./sha-crypt.ts";

/** True if the password matches the hash; undefined if this machine cannot verify hashes of the scheme. */
export type Verdict = boolean | undefined;

/** A scheme for storing passwords. */
export interface Scheme {
	readonly name: string;
	/** Pattern that matches a complete hash of the scheme. */
	readonly pattern: RegExp;
	/** Reason why passwords in this scheme should be replaced. */
	readonly weakness?: string;
	/** True if the scheme depends on installed libraries. If they are missing, `compare` returns undefined. */
	readonly isOptional?: true;
	compare(password: string, stored: string): Verdict | Promise<Verdict>;
}

const fast = "it is fast to guess";

const schemes: readonly Scheme[] = [
	{
		name: "bcrypt",
		// A cost above 16 would take minutes in JavaScript.
		pattern: /^\$2[aby]\$(0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/,
		// Compare before checking the length, so that refusing a password that is too long takes the same time.
		compare: (password, stored) => compareSync(password, stored) && Buffer.byteLength(password) <= maximumBcryptBytes,
	},
	{
		name: "SHA-256 crypt",
		// A million rounds or more would take many seconds.
		pattern: /^\$5\$(rounds=[1-9]\d{3,5}\$)?[./A-Za-z0-9]{0,16}\$[./A-Za-z0-9]{43}$/,
		compare: (password, stored) => isSame(shaCrypt(Buffer.from(password), stored), stored),
	},
	{
		name: "SHA-512 crypt",
		pattern: /^\$6\$(rounds=[1-9]\d{3,5}\$)?[./A-Za-z0-9]{0,16}\$[./A-Za-z0-9]{86}$/,
		compare: (password, stored) => isSame(shaCrypt(Buffer.from(password), stored), stored),
	},
	{
		name: "MD5 crypt",
		pattern: /^\$(apr1|1)\$[./A-Za-z0-9]{0,8}\$[./A-Za-z0-9]{22}$/,
		weakness: fast,
		compare: (password, stored) => isSame(md5Crypt(Buffer.from(password), stored), stored),
	},
	{
		name: "SHA-1",
		pattern: /^\{SHA\}[+/A-Za-z0-9]{27}=$/,
		weakness: "it is fast to guess and unsalted",
		compare: (password, stored) => isSame(`{SHA}${createHash("sha1").update(password).digest("base64")}`, stored),
	},
	{
		name: "DES crypt",
		// The last character holds four bits, which distinguishes a hash from most plain words of thirteen letters.
		pattern: /^[./A-Za-z0-9]{12}[.26AEIMQUYcgkosw]$/,
		weakness: "it uses only the first eight characters of the password",
		compare: (password, stored) => isSame(desCrypt([...Buffer.from(password)], stored.slice(0, 2)), stored),
	},
	{
		name: "yescrypt or scrypt",
		pattern: /^\$(y|gy|7)\$[!-9;-~]+$/,
		isOptional: true,
		compare: compareBySystem,
	},
	{
		name: "old scheme of crypt(3)",
		pattern: /^(\$(md5[,$]|3\$|sha1\$)[!-9;-~]+|_[./A-Za-z0-9]{19})$/,
		weakness: fast,
		isOptional: true,
		compare: compareBySystem,
	},
];

export function findScheme(stored: string): Scheme | undefined {
	return schemes.find(({ pattern }) => pattern.test(stored));
}

async function compareBySystem(password: string, stored: string): Promise<Verdict> {
	const crypt = await loadSystemCrypt();
	const text = crypt(password, stored);
	return text === undefined ? undefined : isSame(text, stored);
}

function isSame(text: string, stored: string): boolean {
	const [first, second] = [Buffer.from(text), Buffer.from(stored)];
	return first.length === second.length && timingSafeEqual(first, second);
}

/** Prefix and salt at the beginning of an MD5-crypt hash. Both are inputs of the hash function. */
const setting = /^(\$apr1\$|\$1\$)([^$]*)\$/;

/**
 * Returns the MD5-crypt hash of `password` with the prefix and salt of `stored`: `$1$` of crypt(3), or `$apr1$` of Apache, which differs
 * only in the prefix.
 */
export function md5Crypt(password: Buffer, stored: string): string {
	const [, magic = "", salt = ""] = setting.exec(stored) ?? [];
	const saltBytes = Buffer.from(salt);
	let digest = firstDigest(password, magic, saltBytes);
	for (let round = 0; round < 1000; round++) {
		const isOdd = round % 2 === 1;
		const parts = [isOdd ? password : digest];
		if (round % 3 !== 0) parts.push(saltBytes);
		if (round % 7 !== 0) parts.push(password);
		digest = md5([...parts, isOdd ? digest : password]);
	}
	return `${magic}${salt}$${encode(digest)}`;
}

function firstDigest(password: Buffer, magic: string, salt: Buffer): Buffer {
	const inner = md5([password, salt, password]);
	const parts = [password, Buffer.from(magic), salt];
	for (let rest = password.length; rest > 0; rest -= 16) parts.push(inner.subarray(0, Math.min(16, rest)));
	for (let bits = password.length; bits > 0; bits >>= 1) parts.push(bits % 2 === 1 ? Buffer.of(0) : password.subarray(0, 1));
	return md5(parts);
}

/**
 * Encodes the digest like crypt(3): three bytes each, six positions apart. In the last group, byte 5 is the third byte; byte 11 is encoded
 * alone.
 */
function encode(digest: Buffer): string {
	const groups = [0, 1, 2, 3, 4].map((first) => toCryptBase64([digest[first], digest[first + 6], digest[first === 4 ? 5 : first + 12]]));
	return groups.join("") + toCryptBase64([digest[11]]);
}

function md5(parts: readonly Buffer[]): Buffer {
	return createHash("md5").update(Buffer.concat(parts)).digest();
}

/** Hashes a password with crypt(3). `setting` is scheme and salt. Returns undefined if the scheme is not supported. */
type SystemCrypt = (password: string, setting: string) => string | undefined;

/** Bytes of the work area for `crypt_r`, enough for every libcrypt; old versions of glibc need 128 KiB. */
const stateSize = 256 * 1024;
/** Names of the library in different distributions. */
const libraries = ["libcrypt.so.1", "libcrypt.so.2"];

let loaded: Promise<SystemCrypt> | undefined;

/** Loads the system's crypt(3). If koffi or libcrypt is missing, the returned function supports no scheme. */
function loadSystemCrypt(): Promise<SystemCrypt> {
	loaded ??= load().catch(() => () => undefined);
	return loaded;
}

async function load(): Promise<SystemCrypt> {
	const { default: koffi } = await import("koffi");
	const open = (name: string) => {
		try {
			return [koffi.load(name)];
		} catch {
			return [];
		}
	};
	const [library] = libraries.flatMap(open);
	if (library === undefined) throw new Error("no libcrypt");
	const crypt = library.func("const char *crypt_r(const char *key, const char *setting, void *data)");
	// Allocate the state once with koffi, because V8 could move its own memory.
	const state: unknown = koffi.alloc("uint8_t", stateSize);
	return (password, setting) => {
		const text: unknown = crypt(password, setting, state);
		return typeof text === "string" && !text.startsWith("*") ? text : undefined;
	};
}
