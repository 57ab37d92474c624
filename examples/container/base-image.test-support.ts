import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../scripts/run.ts";

/** Certificates of this machine, whose package registry may be an internal one. */
export const certificates = "/etc/ssl/certs/ca-certificates.crt";
/** Commands of busybox that the image's build and a shell command need. */
const commands = ["sh", "ls", "mv", "rm", "cat", "mkdir", "chown", "sleep", "env", "id", "touch"];
/** Libraries that native programs of packages load in addition to those of Node, and libraries that resolve host names. */
const libraries = ["librt.so.1", "libutil.so.1", "libcrypt.so.1", "libz.so.1", "libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];

/**
 * Copies files of this machine that replace the image of Node if no image registry is reachable: Node, npm, a shell, certificates and the
 * libraries they need.
 */
export async function layOutBase(root: string): Promise<void> {
	for (const directory of ["bin", "tmp", "root", "etc/ssl/certs", "usr/bin", "usr/lib/node_modules"]) {
		await mkdir(join(root, directory), { recursive: true });
	}
	await cp(process.execPath, join(root, "usr/bin/node"));
	const npm = join(dirname(process.execPath), "../lib/node_modules/npm");
	await cp(npm, join(root, "usr/lib/node_modules/npm"), { recursive: true });
	await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/bin/npm"));
	for (const file of [...(await findLibraries(process.execPath)), ...(await findNamed(libraries))]) {
		await cp(file, join(root, file), { dereference: true });
	}
	const { output } = await run("sh", ["-c", "command -v busybox"]);
	await cp(output.trim(), join(root, "bin/busybox"));
	for (const name of commands) await symlink("busybox", join(root, "bin", name));
	await symlink("/bin/busybox", join(root, "usr/bin/env"));
	await cp(certificates, join(root, certificates));
	await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\n");
}

/** Returns the libraries that a program is linked with. */
async function findLibraries(program: string): Promise<readonly string[]> {
	const { output } = await run("ldd", [program]);
	return output.match(/\/\S+/g) ?? [];
}

async function findNamed(names: readonly string[]): Promise<readonly string[]> {
	const directory = "/lib/x86_64-linux-gnu";
	const there = new Set(await readdir(directory));
	return names.filter((name) => there.has(name)).map((name) => join(directory, name));
}
