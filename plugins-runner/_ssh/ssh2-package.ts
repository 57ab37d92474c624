import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

export type Ssh2 = typeof import("ssh2");

/** Imports ssh2. It is loaded at the first remote action: a service without remote actions does not need the package. */
export async function importSsh2(): Promise<Ssh2> {
	try {
		// The package is CommonJS, so its exports are in `default`.
		return (await import("ssh2")).default;
	} catch (error) {
		const message = 'the remote runners need the package "ssh2", which is missing or does not run here: npm install ssh2';
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}
