import { useEffect, useMemo } from "preact/hooks";
import type { OutputType } from "../../../../core/contract/index.ts";
import { LogSource } from "./log-source.ts";

/** Returns a source of the output lines of an execution. It follows the output until the component unmounts. */
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
