import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Files of a private authority and of a server certificate it has signed. */
export interface Certificates {
	readonly ca: string;
	readonly certificate: string;
	readonly key: string;
	remove(): Promise<void>;
}

/** @param names subject alternative names such as `IP:127.0.0.1` */
export async function createCertificates(names: readonly string[] = ["IP:127.0.0.1", "DNS:localhost"]): Promise<Certificates> {
	const directory = await mkdtemp(join(tmpdir(), "svc-certificates-"));
	const file = (name: string) => join(directory, name);
	const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
	await run("openssl", [
		...["req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=Private Authority"],
		...["-keyout", file("ca.key"), "-out", file("ca.crt")],
	]);
	await run("openssl", ["req", ...newKey, "-subj", "/CN=server", "-keyout", file("server.key"), "-out", file("server.csr")]);
	await writeFile(file("names"), `subjectAltName=${names.join(",")}\n`);
	await run("openssl", [
		...["x509", "-req", "-in", file("server.csr"), "-CA", file("ca.crt"), "-CAkey", file("ca.key"), "-CAcreateserial"],
		...["-days", "2", "-extfile", file("names"), "-out", file("server.crt")],
	]);
	return {
		ca: file("ca.crt"),
		certificate: file("server.crt"),
		key: file("server.key"),
		remove: () => rm(directory, { recursive: true, force: true }),
	};
}
