import { importPackage as importPackageFor } from "../_packages/import-package.ts";

/** Load a package that is needed only where it is used. Throws `SVC_CONFIG` naming it when it is not there. */
export function importPackage(name: string): Promise<unknown> {
	return importPackageFor(name, "storage");
}
