import { importPackage as importPackageFor } from "../_packages/import-package.ts";

/** Loads an optional package. Throws `SVC_CONFIG` with its name if it is not installed. */
export function importPackage(name: string): Promise<unknown> {
	return importPackageFor(name, "storage");
}
