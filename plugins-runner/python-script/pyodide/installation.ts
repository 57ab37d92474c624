import { readFile } from "node:fs/promises";
import { SvcError } from "../../../core/contract/index.ts";

/** The installed package pyodide. */
export interface Installation {
	/** Version of the package. */
	readonly version: string;
	/** Version of Python. */
	readonly pythonVersion: string;
	/** URL of the package's module. */
	readonly module: string;
}

export async function findInstallation(): Promise<Installation> {
	try {
		const module = import.meta.resolve("pyodide");
		const { version } = await readJson<{ readonly version: string }>("pyodide/package.json");
		const { info } = await readJson<{ readonly info: { readonly python: string } }>("pyodide/pyodide-lock.json");
		return { version, pythonVersion: info.python, module };
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", 'the engine pyodide needs the package "pyodide": npm install pyodide', { cause });
	}
}

async function readJson<T>(specifier: string): Promise<T> {
	return JSON.parse(await readFile(new URL(import.meta.resolve(specifier)), "utf8")) as T;
}
