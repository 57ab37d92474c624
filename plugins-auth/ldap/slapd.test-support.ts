import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Certificates } from "../../core/testing/services/certificates.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";

const run = promisify(execFile);
/** slapd stands where only root's PATH looks. */
const env = { ...process.env, PATH: [process.env["PATH"], "/usr/sbin", "/sbin", "/usr/local/sbin"].join(delimiter) };

export const suffix = "dc=example,dc=org";
export const people = `ou=people,${suffix}`;
export const groups = `ou=groups,${suffix}`;
export const service = { dn: `cn=service,${suffix}`, password: "service s3cret" };

/** Attributes of an entry; `dn` is its name. */
export interface LdifEntry {
	readonly dn: string;
	readonly [attribute: string]: string | readonly string[];
}

export interface SlapdOptions {
	/** Entries besides the organisation, its two units and the service account. */
	readonly entries?: readonly LdifEntry[];
	/** Answer LDAPS and StartTLS with these. */
	readonly certificates?: Certificates;
	/** Ports to use again. */
	readonly ports?: Ports;
	/** Further lines of the configuration of the database. */
	readonly configuration?: readonly string[];
}

export interface Ports {
	readonly ldap: number;
	readonly ldaps: number;
}

export interface Slapd {
	readonly ports: Ports;
	/** Everything that it has done so far, with names and filters. */
	log(): Promise<string>;
	/** Change entries as the administrator, by LDIF with changetypes. */
	modify(ldif: string): Promise<void>;
	/** End it and remove its files. May be called twice. */
	stop(): Promise<void>;
}

/** A test function for tests that need slapd and perhaps more commands. */
export function slapdTest(test: SkippableTest, ...more: readonly string[]): ReturnType<typeof requires>["test"] {
	const command = ["slapd", ...more].find((each) => missing({ command: each }) !== undefined) ?? "slapd";
	return requires(test, { command }).test;
}

/** Use a directory and remove it. */
export async function withSlapd(options: SlapdOptions, use: (slapd: Slapd) => Promise<void>): Promise<void> {
	const slapd = await startSlapd(options);
	try {
		await use(slapd);
	} finally {
		await slapd.stop();
	}
}

export function toPerson(uid: string, password: string, more: Readonly<Record<string, string | readonly string[]>> = {}): LdifEntry {
	const attributes = { objectClass: "inetOrgPerson", cn: uid, sn: uid, uid, userPassword: hash(password), ...more };
	return { dn: `uid=${uid},${people}`, ...attributes };
}

/** A group with members by distinguished name. */
export function toGroup(cn: string, members: readonly string[]): LdifEntry {
	return { dn: `cn=${cn},${groups}`, objectClass: "groupOfNames", cn, member: [service.dn, ...members] };
}

/** A directory of its own with a few entries. */
export async function startSlapd(options: SlapdOptions = {}): Promise<Slapd> {
	const directory = await mkdtemp(join(tmpdir(), "svc-slapd-"));
	await mkdir(join(directory, "db"));
	const configuration = join(directory, "slapd.conf");
	const ldif = join(directory, "init.ldif");
	await writeFile(configuration, toConfiguration(directory, options));
	await writeFile(ldif, [...foundation, ...(options.entries ?? [])].map(toLdif).join("\n"));
	await run("slapadd", ["-q", "-f", configuration, "-l", ldif], { env });
	for (let attempt = 1; ; attempt += 1) {
		const ports = options.ports ?? { ldap: await findFreePort(), ldaps: await findFreePort() };
		const started = await start(configuration, ports, options.certificates !== undefined);
		if (!("failure" in started)) return toSlapd(directory, ports, started);
		// Somebody else may have taken a port in the meantime.
		if (attempt === 5) throw new Error(`slapd does not start: ${started.failure}`);
	}
}

interface Running {
	readonly child: ChildProcess;
	log(): string;
}

function toSlapd(directory: string, ports: Ports, { child, log }: Running): Slapd {
	return {
		ports,
		async log() {
			// Lines arrive late but in order: once it tells of this connection, it has told all before.
			const socket = connect(ports.ldap, "127.0.0.1");
			await once(socket, "connect");
			const sign = `ACCEPT from IP=127.0.0.1:${socket.localPort} `;
			while (!log().includes(sign)) await delay(5);
			socket.destroy();
			return log();
		},
		async modify(change) {
			const file = join(directory, "change.ldif");
			await writeFile(file, change);
			const url = `ldap://127.0.0.1:${ports.ldap}`;
			await run("ldapmodify", ["-x", "-H", url, "-D", `cn=admin,${suffix}`, "-w", "admin", "-f", file], { env });
		},
		async stop() {
			await end(child);
			await rm(directory, { recursive: true, force: true });
		},
	};
}

async function start(configuration: string, { ldap, ldaps }: Ports, hasTls: boolean): Promise<Running | { readonly failure: string }> {
	const urls = [`ldap://127.0.0.1:${ldap}`, ...(hasTls ? [`ldaps://127.0.0.1:${ldaps}`] : [])];
	const child = spawn("slapd", ["-f", configuration, "-h", urls.join(" "), "-d", "stats"], { env, stdio: ["ignore", "ignore", "pipe"] });
	let log = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
	while (!(await isListening(ldap))) {
		if (child.exitCode !== null) return { failure: log };
		await delay(5);
	}
	// Another program may have answered on the port.
	if (child.exitCode !== null) return { failure: log };
	return { child, log: () => log };
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, "exit");
	child.kill("SIGKILL");
	await ended;
}

function isListening(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		const settle = (answer: boolean) => {
			socket.destroy();
			resolve(answer);
		};
		socket.on("connect", () => settle(true)).on("error", () => settle(false));
	});
}

function toConfiguration(directory: string, { certificates, configuration = [] }: SlapdOptions): string {
	const tls = certificates && [
		`TLSCACertificateFile ${certificates.ca}`,
		`TLSCertificateFile ${certificates.certificate}`,
		`TLSCertificateKeyFile ${certificates.key}`,
	];
	return [
		...["core", "cosine", "nis", "inetorgperson"].map((name) => `include /etc/ldap/schema/${name}.schema`),
		`pidfile ${directory}/pid`,
		"modulepath /usr/lib/ldap",
		"moduleload back_mdb",
		...(tls ?? []),
		"database mdb",
		`suffix "${suffix}"`,
		`rootdn "cn=admin,${suffix}"`,
		"rootpw admin",
		`directory ${directory}/db`,
		"maxsize 10485760",
		"dbnosync",
		"access to attrs=userPassword by anonymous auth by * none",
		"access to * by users read by anonymous auth by * none",
		...configuration,
		"",
	].join("\n");
}

const foundation: readonly LdifEntry[] = [
	{ dn: suffix, objectClass: ["dcObject", "organization"], dc: "example", o: "Example" },
	{ dn: people, objectClass: "organizationalUnit", ou: "people" },
	{ dn: groups, objectClass: "organizationalUnit", ou: "groups" },
	{
		dn: service.dn,
		objectClass: ["organizationalRole", "simpleSecurityObject"],
		cn: "service",
		userPassword: hash(service.password),
	},
];

function toLdif(entry: LdifEntry): string {
	// In base64, so that no value needs thought.
	const line = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString("base64")}\n`;
	return Object.entries(entry)
		.flatMap(([name, values]) => [values].flat().map((value) => line(name, String(value))))
		.join("");
}

function hash(password: string): string {
	if (/^\{[A-Z]+\}/.test(password)) return password;
	const salt = randomBytes(8);
	const digest = createHash("sha1").update(password).update(salt).digest();
	return `{SSHA}${Buffer.concat([digest, salt]).toString("base64")}`;
}
