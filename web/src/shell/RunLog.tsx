import { LogView, type Wanted } from "@/ui/LogView";
import { ErrorPanel } from "@/ui/Panels";
import { downloadLog, useLog } from "./live";

interface Props {
  id: string;
  live: boolean;
  height?: string | undefined;
  wanted?: Wanted;
  onWanted?: (wanted: Wanted) => void;
}

/** The log of a run, as far as it can be had. */
export function RunLog({ id, live, height, ...kept }: Props) {
  const { lines, error, isRead, gap, retry } = useLog(id, live);
  const problem = error !== null && <ErrorPanel error={error} retry={retry} />;
  if (problem && lines.length === 0) return problem;
  return (
    <>
      {problem}
      <LogView
        {...kept}
        lines={lines}
        live={live}
        reading={!isRead}
        gap={gap}
        onDownload={() => downloadLog(id)}
        {...(height && { height })}
      />
    </>
  );
}
