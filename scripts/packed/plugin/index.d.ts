import type { RunnerPlugin, SvcError } from "svc/contract";
export declare const SvcErrorOfPlugin: typeof SvcError;
export declare const mirror: () => RunnerPlugin;
