import { SvcError } from "../../core/contract/index.ts";

/** Load a package that is needed only where it is used. Throws `SVC_CONFIG` naming it when it is not there. */
export async function importPackage(name: string): Promise<unknown> {
	try {
		return ((await import(name)) as { readonly default: unknown }).default;
	} catch (error) {
		const packageName = name.split("/")[0];
		throw new SvcError(
			"SVC_CONFIG",
			`storage needs the package "${packageName}", which is missing or does not run here: npm install ${packageName}`,
			{ cause: error },
		);
	}
}
