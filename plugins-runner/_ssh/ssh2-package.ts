import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

export type Ssh2 = typeof import("ssh2");

/** Loaded when a runner starts: a service without remote actions does not need the package. */
export async function importSsh2(): Promise<Ssh2> {
	try {
		// CommonJS: what it exports stands in the default.
		return (await import("ssh2")).default;
	} catch (error) {
		const message = 'the remote runners need the package "ssh2", which is missing or does not run here: npm install ssh2';
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}
