import { useEffect, useMemo } from "preact/hooks";
import type { OutputType } from "../../contract/runner.ts";
import { LogSource } from "./log-source.ts";

/** The lines of an execution, as long as they are looked at. */
export function useLogSource(id: string, type: OutputType | undefined, hasEnded: boolean): LogSource {
	const source = useMemo(() => new LogSource(id, type), [id, type]);
	useEffect(() => {
		if (hasEnded) source.setEnded();
	}, [source, hasEnded]);
	useEffect(() => {
		void source.run();
		return () => source.stop();
	}, [source]);
	return source;
}
