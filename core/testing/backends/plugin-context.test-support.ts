import { tmpdir } from "node:os";
import type { PluginContext } from "../../contract/index.ts";
import { createPluginContext } from "../plugin-context.ts";

/** What a host would give a plugin that keeps nothing in its directory. */
export function createContext(): PluginContext {
	return createPluginContext(tmpdir());
}
