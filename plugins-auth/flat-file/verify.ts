import { hash } from "bcryptjs";
import type { BcryptThread } from "./bcrypt-thread.ts";

export interface VerifyContext {
	readonly bcrypt: BcryptThread;
	readonly signal: AbortSignal;
}

/** A way of storing passwords. */
interface Scheme {
	/** Of the whole stored text. */
	readonly pattern: RegExp;
	verify(password: string, stored: string, context: VerifyContext): Promise<boolean>;
}

const bcrypt: Scheme = {
	// A cost above 16 would take minutes in JavaScript.
	pattern: /^\$2[aby]\$(0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/,
	verify: (password, stored, { bcrypt: thread, signal }) => thread.compare({ password, stored }, signal),
};

const schemes: readonly Scheme[] = [bcrypt];

const defaultCost = 10;

export function isSupported(stored: string): boolean {
	return findScheme(stored) !== undefined;
}

/** False for schemes that are not supported. */
export async function verify(password: string, stored: string, context: VerifyContext): Promise<boolean> {
	return (await findScheme(stored)?.verify(password, stored, context)) ?? false;
}

export function hashPassword(password: string): Promise<string> {
	return hash(password, defaultCost);
}

/** A stored text that takes as long to verify as one of `costOf`, and whose password nobody knows. */
export function createDummy(costOf: string | undefined): string {
	const cost = costOf?.slice(4, 6) ?? String(defaultCost);
	return `$2b$${cost}$${"abcdefghijklmnopqrstuu".padEnd(53, "x")}`;
}

/** bcrypt takes 72 bytes and would ignore the rest; with a NUL, different passwords become the same key. */
export function findPasswordProblem(password: string): string | undefined {
	if (password === "") return "empty";
	if (password.includes("\0")) return "holds a NUL character";
	return Buffer.byteLength(password) > 72 ? "longer than 72 bytes, which is as much as bcrypt takes" : undefined;
}

function findScheme(stored: string): Scheme | undefined {
	return schemes.find(({ pattern }) => pattern.test(stored));
}
