/// <reference path="./unix-crypt-td-js.d.ts" />
import { createHash, timingSafeEqual } from "node:crypto";
import { compareSync } from "bcryptjs";
import desCrypt from "unix-crypt-td-js";
import { maximumBcryptBytes } from "./bcrypt.ts";
import { md5Crypt } from "./md5-crypt.ts";
import { shaCrypt } from "./sha-crypt.ts";
import { loadSystemCrypt } from "./system-crypt.ts";

/** Whether a password is the stored one; undefined when this machine cannot tell. */
export type Verdict = boolean | undefined;

/** A way of storing passwords. */
export interface Scheme {
	readonly name: string;
	/** Of the whole stored text. */
	readonly pattern: RegExp;
	/** Why passwords stored so should be set anew. */
	readonly weakness?: string;
	/** Depends on what is installed: ask `compare` before relying on it. */
	readonly isOptional?: true;
	compare(password: string, stored: string): Verdict | Promise<Verdict>;
}

const fast = "it is quick to guess";

const schemes: readonly Scheme[] = [
	{
		name: "bcrypt",
		// A cost above 16 would take minutes in JavaScript.
		pattern: /^\$2[aby]\$(0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/,
		// Compared in any case, so that a password that is too long takes its time.
		compare: (password, stored) => compareSync(password, stored) && Buffer.byteLength(password) <= maximumBcryptBytes,
	},
	{
		name: "SHA-256 crypt",
		// A million rounds and more would take many seconds.
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
		weakness: "it is quick to guess and has no salt",
		compare: (password, stored) => isSame(`{SHA}${createHash("sha1").update(password).digest("base64")}`, stored),
	},
	{
		name: "DES crypt",
		// The last character holds four bits; most plain words of thirteen letters are told apart by it.
		pattern: /^[./A-Za-z0-9]{12}[.26AEIMQUYcgkosw]$/,
		weakness: "only the first eight characters of the password count",
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
