import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

/**
 * Load a package that is needed only where it is used. Throws `SVC_CONFIG` naming it, and `user`, the part that needs it, when it is
 * not there.
 */
export async function importPackage(name: string, user: string): Promise<unknown> {
	try {
		const loaded = (await import(name)) as { readonly default?: unknown };
		// Of a CommonJS package; some loaders give its members only.
		return loaded.default ?? loaded;
	} catch (error) {
		const packageName = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
		const message = `${user} needs the package "${packageName}", which is missing or does not run here: npm install ${packageName}`;
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}
