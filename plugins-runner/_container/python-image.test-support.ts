import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRootArchive } from "./root-archive.test-support.ts";
import type { TestEngine } from "./test-engine.test-support.ts";

const run = promisify(execFile);
/** Parts of the library that no action of the tests imports. What Python has compiled stays: compiling it takes a second of each run. */
const leftOut = [
	...["test", "site-packages", "dist-packages", "config-*", "idlelib", "ensurepip", "unittest", "tkinter", "lib2to3", "distutils"],
	...["*.opt-1.pyc", "*.opt-2.pyc"],
];
const script = "import sys, sysconfig; print(sys.executable); print(sysconfig.get_path('stdlib'))";

/** An image with the shell of busybox and the Python of this machine, without its packages. */
export async function addPythonImage(engine: TestEngine): Promise<string> {
	const image = "localhost/python:test";
	const directory = await mkdtemp(join(tmpdir(), "svc-python-image-"));
	const root = join(directory, "root");
	try {
		await mkdir(root);
		await writeFile(join(directory, "busybox.tar"), await createRootArchive());
		await run("tar", ["-xf", join(directory, "busybox.tar"), "-C", root]);
		const [executable = "", library = ""] = (await run("python3", ["-c", script])).stdout.split("\n");
		const left = leftOut.map((name) => `--exclude=${name}`);
		const paths = [executable, library, ...(await findLibraries([executable, join(library, "lib-dynload")]))];
		// Links of the machine lead to what the image does not have: each file is copied itself.
		const archive = join(directory, "python.tar");
		await run("tar", ["-chf", archive, ...left, "-C", "/", ...paths.map((path) => path.slice(1))]);
		await run("tar", ["-xf", archive, "-C", root, "--keep-directory-symlink", "--no-same-owner"]);
		await rm(join(root, "usr/bin"));
		await mkdir(join(root, "usr/bin"));
		await symlink(executable, join(root, "usr/bin/python3"));
		await run("chmod", ["-R", "a+rX", root]);
		await run("tar", ["-cf", archive, "-C", root, "."]);
		await engine.addImage(archive, image);
		return image;
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

/** Shared libraries that programs and modules are linked with. */
async function findLibraries(paths: readonly string[]): Promise<readonly string[]> {
	const { stdout } = await run("sh", ["-c", `find -L ${paths.join(" ")} -type f -perm -u+r -exec ldd {} + 2>/dev/null || true`]);
	return [...new Set([...stdout.matchAll(/(\/[^\s:]+\.so[^\s:]*) \(/g)].map(([, path = ""]) => path))];
}
