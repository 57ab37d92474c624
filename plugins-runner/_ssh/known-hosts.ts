import { createHash, createHmac } from "node:crypto";
import { matchesPatterns } from "./host-pattern.ts";

/** One line of a known_hosts file. */
export interface KnownHost {
	readonly marker: string | undefined;
	/** Comma-separated patterns, or the hash of a name. */
	readonly hosts: string;
	readonly key: Buffer;
}

export type HostKeyVerdict =
	| { readonly verdict: "known" }
	| { readonly verdict: "unknown" }
	| { readonly verdict: "revoked" }
	/** The file contains another key of the host. */
	| { readonly verdict: "changed"; readonly known: Buffer };

export function parseKnownHosts(text: string): readonly KnownHost[] {
	const lines = text.split(/\r?\n/).map((line) => line.trim());
	return lines.filter((line) => line !== "" && !line.startsWith("#")).map(parseLine);
}

/**
 * Returns the entries of a host; `name` is the result of `toKnownName`. Certificate authorities are omitted, because host certificates are
 * not supported.
 */
export function findKeys(entries: readonly KnownHost[], name: string): readonly KnownHost[] {
	return entries.filter(({ marker, hosts }) => marker !== "@cert-authority" && namesHost(hosts, name));
}

export function judge(entries: readonly KnownHost[], name: string, key: Buffer): HostKeyVerdict {
	const found = findKeys(entries, name);
	if (found.some((entry) => entry.marker === "@revoked" && entry.key.equals(key))) return { verdict: "revoked" };
	const keys = found.filter(({ marker }) => marker === undefined);
	if (keys.some((entry) => entry.key.equals(key))) return { verdict: "known" };
	// A key of another type is a change too: a man in the middle could offer a type that the file does not contain.
	const known = keys.find((entry) => typeOf(entry.key) === typeOf(key)) ?? keys[0];
	return known === undefined ? { verdict: "unknown" } : { verdict: "changed", known: known.key };
}

/** Returns the name of a host as known_hosts contains it. */
export function toKnownName(host: string, port: number): string {
	return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/** Returns the fingerprint in the format of ssh. */
export function toFingerprint(key: Buffer): string {
	return `${typeOf(key)} SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** Returns the type of a key, which is at its beginning, preceded by its length. */
export function typeOf(key: Buffer): string {
	return key.length < 4 ? "" : key.subarray(4, 4 + key.readUInt32BE(0)).toString();
}

function parseLine(line: string): KnownHost {
	const fields = line.split(/\s+/);
	const marker = fields[0]?.startsWith("@") ? fields.shift() : undefined;
	return { marker, hosts: fields[0] ?? "", key: Buffer.from(fields[2] ?? "", "base64") };
}

function namesHost(hosts: string, name: string): boolean {
	if (!hosts.startsWith("|1|")) return matchesPatterns(hosts.split(","), name);
	const [, , salt = "", hash] = hosts.split("|");
	return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === hash;
}
