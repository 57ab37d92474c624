import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

/** Loads an optional package. If it is missing, throws `SVC_CONFIG` with its name and `user`, the component that needs it. */
export async function importPackage(name: string, user: string): Promise<unknown> {
	try {
		const loaded = (await import(name)) as { readonly default?: unknown };
		// A CommonJS package is the default export of its module, but some loaders return only its members.
		return loaded.default ?? loaded;
	} catch (error) {
		const packageName = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
		const message = `${user} needs the package "${packageName}", which is missing or does not run here: npm install ${packageName}`;
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}
